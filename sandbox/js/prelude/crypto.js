(function (native, shared) {});

// crypto: random values, digests and HMAC.
(function (native, shared) {
  "use strict";
  const hashOf = (algorithm) => {
    const name = String(typeof algorithm === "string" ? algorithm : algorithm?.name ?? "").toUpperCase();
    if (!["SHA-1", "SHA-256", "SHA-384", "SHA-512"].includes(name)) throw new DOMException(`the algorithm ${JSON.stringify(name)} is not supported`, "NotSupportedError");
    return name;
  };
  const view = (source) => {
    const b = shared.bytes(source);
    return [b.buffer, b.byteOffset, b.byteLength];
  };
  const secrets = new WeakMap();
  class CryptoKey {
    constructor(hash, data, extractable, usages) {
      secrets.set(this, data);
      this.type = "secret";
      this.extractable = extractable;
      this.algorithm = { name: "HMAC", hash: { name: hash }, length: data.length * 8 };
      this.usages = [...usages];
    }
  }
  const hmac = (algorithm) => {
    const name = typeof algorithm === "string" ? algorithm : algorithm?.name;
    if (String(name).toUpperCase() !== "HMAC") throw new DOMException(`the algorithm ${JSON.stringify(name)} is not supported`, "NotSupportedError");
  };
  const allow = (key, usage) => {
    if (!key.usages.includes(usage)) throw new DOMException(`the key may not be used to ${usage}`, "InvalidAccessError");
  };
  const sign = (key, data) => native.hmac(key.algorithm.hash.name, ...view(secrets.get(key)), ...view(data));
  const subtle = {
    async digest(algorithm, data) { return native.digest(hashOf(algorithm), ...view(data)); },
    async importKey(format, data, algorithm, extractable, usages) {
      hmac(algorithm);
      if (format === "jwk") data = shared.fromBase64(data.k.replaceAll("-", "+").replaceAll("_", "/"));
      else if (format !== "raw") throw new DOMException(`the key format ${JSON.stringify(format)} is not supported`, "NotSupportedError");
      return new CryptoKey(hashOf(algorithm.hash), shared.copy(data), extractable, usages);
    },
    async generateKey(algorithm, extractable, usages) {
      hmac(algorithm);
      const hash = hashOf(algorithm.hash);
      const bits = algorithm.length ?? (hash === "SHA-384" || hash === "SHA-512" ? 1024 : 512);
      return new CryptoKey(hash, new Uint8Array(native.random(Math.ceil(bits / 8))), extractable, usages);
    },
    async exportKey(format, key) {
      if (!key.extractable) throw new DOMException("the key is not extractable", "InvalidAccessError");
      const data = secrets.get(key);
      if (format === "raw") return data.slice().buffer;
      const k = shared.toBase64(data).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
      return { kty: "oct", k, alg: "HS" + key.algorithm.hash.name.slice(4), ext: true, key_ops: key.usages };
    },
    async sign(algorithm, key, data) {
      hmac(algorithm);
      allow(key, "sign");
      return sign(key, data);
    },
    async verify(algorithm, key, signature, data) {
      hmac(algorithm);
      allow(key, "verify");
      return native.equal(...view(sign(key, data)), ...view(signature));
    },
  };
  shared.define("CryptoKey", CryptoKey);
  shared.define("crypto", {
    subtle,
    randomUUID: () => native.uuid(),
    getRandomValues(array) {
      if (!ArrayBuffer.isView(array) || array instanceof DataView || array instanceof Float32Array || array instanceof Float64Array) throw new TypeError("getRandomValues needs an array of integers");
      if (array.byteLength > 65536) throw new DOMException("at most 65536 bytes at once", "QuotaExceededError");
      shared.bytes(array).set(new Uint8Array(native.random(array.byteLength)));
      return array;
    },
  });
});

package js

func (v *VM) cryptoNatives() map[string]any { return nil }

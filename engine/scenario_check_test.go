package engine_test

func (w *world) check() {}

package engine

// Engine runs threads of one project on one store.
type Engine struct{ c Config }

type execution struct{}
type subscriber struct{}

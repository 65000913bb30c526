package engine

import (
	"encoding/json"
	"time"
)

// Definitions is what a project declares: an immutable snapshot, taken whenever
// the project's files change. Maps are keyed by name (hooks by id).
type Definitions struct {
	Revision  string // content hash of everything that was read
	Dir       string // absolute project directory; "" for the built-in project
	Name      string // display name of the project
	Agents    map[string]*Agent
	Prompts   map[string]*Prompt
	Models    map[string]*ModelDef
	Tools     map[string]*Tool
	Hooks     map[string]*Hook
	Effects   map[string]*EffectDef
	Endpoints []Endpoint
	Providers map[string]*ProviderDef // providers written in the project, by name
	Problems  []Problem
}

// Severity says whether a Problem keeps its definition from being used.
type Severity string

const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
)

// Problem is one thing that is wrong with a project, with its place in the
// source and what to do about it. Line and Column count from 1; 0 is unknown.
type Problem struct {
	Severity Severity `json:"severity"`
	File     string   `json:"file"` // relative to the project directory
	Line     int      `json:"line,omitempty"`
	Column   int      `json:"column,omitempty"`
	Message  string   `json:"message"`
	Hint     string   `json:"hint,omitempty"`
}

// AgentType is the conversation mode of an agent (agents §2).
type AgentType string

const (
	AIHuman AgentType = "ai_human"
	DualAI  AgentType = "dual_ai"
)

// Agent is a loaded defineAgent (agents §1).
type Agent struct {
	Name            string            `json:"name"`
	Type            AgentType         `json:"type"`
	SideA           SideConfig        `json:"sideA"`
	SideB           *SideConfig       `json:"sideB,omitempty"`
	MaxSessionTurns int               `json:"maxSessionTurns,omitempty"`
	Title           string            `json:"title,omitempty"`
	Description     string            `json:"description,omitempty"`
	Icon            string            `json:"icon,omitempty"`
	ExposeAsTool    bool              `json:"exposeAsTool,omitempty"`
	ToolDescription string            `json:"toolDescription,omitempty"`
	Env             map[string]string `json:"env,omitempty"`
	Hooks           []string          `json:"hooks,omitempty"`
	Variables       []Variable        `json:"variables,omitempty"`
	File            string            `json:"-"`
}

// Side returns the configuration of side s, nil where a person is that side.
func (a *Agent) Side(s Side) *SideConfig {
	if s == SideA {
		return &a.SideA
	}
	if a.Type == DualAI {
		return a.SideB
	}
	return nil
}

// Side is A or B of a thread.
type Side string

const (
	SideA Side = "a"
	SideB Side = "b"
)

// Other returns the opposite side.
func (s Side) Other() Side {
	if s == SideA {
		return SideB
	}
	return SideA
}

// SideConfig configures one model-backed side (agents §3).
type SideConfig struct {
	Prompt                   string          `json:"prompt"`
	Label                    string          `json:"label,omitempty"`
	StopOnResponse           bool            `json:"stopOnResponse"` // the loader applies the default, true
	StopTool                 string          `json:"stopTool,omitempty"`
	StopToolResponseProperty string          `json:"stopToolResponseProperty,omitempty"`
	MaxSteps                 int             `json:"maxSteps,omitempty"`
	SessionStop              *SessionBinding `json:"sessionStop,omitempty"`
	SessionFail              *SessionBinding `json:"sessionFail,omitempty"`
	SessionStatus            *SessionBinding `json:"sessionStatus,omitempty"`
}

// ends reports whether a tool is one of those that end the execution.
func (s *SideConfig) ends(tool string) bool {
	return s.SessionStop != nil && s.SessionStop.Name == tool || s.SessionFail != nil && s.SessionFail.Name == tool
}

// SessionBinding is a SessionToolBinding; the string form has only a Name
// (agents §4).
type SessionBinding struct {
	Name                string `json:"name"`
	MessageProperty     string `json:"messageProperty,omitempty"`
	AttachmentsProperty string `json:"attachmentsProperty,omitempty"`
}

// Prompt is a loaded definePrompt.
type Prompt struct {
	Name                 string            `json:"name"`
	ToolDescription      string            `json:"toolDescription,omitempty"`
	Parts                []PromptPart      `json:"prompt"`
	Model                string            `json:"model"`
	IncludeChat          bool              `json:"includeChat,omitempty"`
	IncludePastTools     bool              `json:"includePastTools,omitempty"`
	ParallelToolCalls    *bool             `json:"parallelToolCalls,omitempty"`
	ToolChoice           string            `json:"toolChoice,omitempty"` // auto (default), none, required
	RequiredSchema       json.RawMessage   `json:"requiredSchema,omitempty"`
	Tools                []ToolEntry       `json:"tools,omitempty"`
	Variables            []Variable        `json:"variables,omitempty"`
	Env                  map[string]string `json:"env,omitempty"`
	Reasoning            *Reasoning        `json:"reasoning,omitempty"`
	RecentImageThreshold int               `json:"recentImageThreshold,omitempty"` // the loader applies the default, 10
	Hooks                []string          `json:"hooks,omitempty"`
	ProviderOptions      json.RawMessage   `json:"providerOptions,omitempty"`
	File                 string            `json:"-"`
}

// entry finds the prompt's tool entry for a name, nil where it lists none.
func (p *Prompt) entry(name string) *ToolEntry {
	for i := range p.Tools {
		if p.Tools[i].Name == name {
			return &p.Tools[i]
		}
	}
	return nil
}

// PartType is the kind of a PromptPart.
type PartType string

const (
	PartText     PartType = "text"     // Value is literal text, {{name}} is interpolated
	PartInclude  PartType = "include"  // Value names another prompt
	PartEnv      PartType = "env"      // Value names an environment variable
	PartVariable PartType = "variable" // Value names a context entry or argument
)

// PromptPart is one piece of a system prompt; the loader normalises the legacy
// forms to these.
type PromptPart struct {
	Type  PartType `json:"type"`
	Value string   `json:"value"`
}

// Reasoning asks a model to think (authoring surface §3).
type Reasoning struct {
	Effort    string `json:"effort,omitempty"` // low, medium, high
	MaxTokens int    `json:"maxTokens,omitempty"`
	Exclude   bool   `json:"exclude,omitempty"`
	Include   bool   `json:"include,omitempty"`
}

// ToolEntry is one entry of a prompt's tool list: a string or one of the object
// forms, told apart by what Name resolves to.
type ToolEntry struct {
	Name                    string            `json:"name"`
	IncludeTextResponse     bool              `json:"includeTextResponse"` // these three: the loader applies the default, true
	IncludeToolCalls        bool              `json:"includeToolCalls"`
	IncludeErrors           bool              `json:"includeErrors"`
	InitUserMessageProperty string            `json:"initUserMessageProperty,omitempty"`
	InitAttachmentsProperty string            `json:"initAttachmentsProperty,omitempty"`
	InitAgentNameProperty   string            `json:"initAgentNameProperty,omitempty"`
	Env                     map[string]string `json:"env,omitempty"`
	Options                 json.RawMessage   `json:"options,omitempty"`
	Blocking                bool              `json:"blocking"` // default true
	Immediate               *Immediate        `json:"immediate,omitempty"`
	Optional                string            `json:"optional,omitempty"`
	Resumable               *Resumable        `json:"resumable,omitempty"`
}

// RetryOnCrash says whether the entry opts in to being run again when a crash
// left its outcome unknown.
func (t *ToolEntry) RetryOnCrash() bool {
	var o struct {
		OnCrash string `json:"onCrash"`
	}
	return len(t.Options) > 0 && json.Unmarshal(t.Options, &o) == nil && o.OnCrash == "retry"
}

// forSubagent reports whether the entry has options that only a subagent has.
func (t *ToolEntry) forSubagent() bool {
	return t.Resumable != nil || t.Immediate != nil || t.InitAgentNameProperty != "" || !t.Blocking
}

// Immediate is the immediate option of a subagent entry; the zero value is the
// boolean form (agents §7.6).
type Immediate struct {
	NameEnv        string   `json:"nameEnv,omitempty"`
	DescriptionEnv string   `json:"descriptionEnv,omitempty"`
	ScopedEnv      []string `json:"scopedEnv,omitempty"`
	Object         bool     `json:"object,omitempty"`
}

// Resumable makes the instances of a subagent persistent (agents §7.4).
type Resumable struct {
	ReceivesMessages    Side   `json:"receivesMessages"`
	MaxInstances        int    `json:"maxInstances,omitempty"`
	ParentCommunication string `json:"parentCommunication"` // implicit (default) or explicit
}

// VariableType says whether a variable's value may be shown.
type VariableType string

const (
	VariableText   VariableType = "text"
	VariableSecret VariableType = "secret"
)

// Variable is a VariableDefinition (authoring surface §6).
type Variable struct {
	Name        string       `json:"name"`
	Type        VariableType `json:"type"`
	Required    bool         `json:"required,omitempty"`
	Scoped      bool         `json:"scoped,omitempty"`
	Description string       `json:"description,omitempty"`
}

// ModelDef is a loaded defineModel. Prices are USD per million tokens.
type ModelDef struct {
	Name              string            `json:"name"`
	Model             string            `json:"model"`
	Provider          string            `json:"provider"` // provider name: openai, anthropic, test, or one of the project's own
	Fallbacks         []string          `json:"fallbacks,omitempty"`
	IncludedProviders []string          `json:"includedProviders,omitempty"`
	InputPrice        *float64          `json:"inputPrice,omitempty"`
	OutputPrice       *float64          `json:"outputPrice,omitempty"`
	CachedPrice       *float64          `json:"cachedPrice,omitempty"`
	Capabilities      ModelCapabilities `json:"capabilities"`
	ProviderOptions   json.RawMessage   `json:"providerOptions,omitempty"`
	ProviderTools     []string          `json:"providerTools,omitempty"`
	Script            bool              `json:"-"` // Provider is JavaScript of the project: the scripted provider or one of its own
	File              string            `json:"-"`
}

// ModelCapabilities are what a model can do; a nil flag is unknown and treated
// as able.
type ModelCapabilities struct {
	ReasoningLevels   map[int]*string `json:"reasoningLevels,omitempty"`
	SupportsImages    *bool           `json:"supportsImages,omitempty"`
	SupportsToolCalls *bool           `json:"supportsToolCalls,omitempty"`
	SupportsStreaming *bool           `json:"supportsStreaming,omitempty"`
	SupportsJSONMode  *bool           `json:"supportsJsonMode,omitempty"`
	MaxContextTokens  int             `json:"maxContextTokens,omitempty"`
	MaxOutputTokens   int             `json:"maxOutputTokens,omitempty"`
}

// Tool is a loaded defineTool. Args is the JSON schema that models see, nil for a
// tool without arguments.
type Tool struct {
	Name              string          `json:"name"`
	Description       string          `json:"description"`
	Args              json.RawMessage `json:"args,omitempty"`
	Variables         []Variable      `json:"variables,omitempty"`
	Uses              []string        `json:"uses,omitempty"`
	ExecutionMode     string          `json:"executionMode,omitempty"` // local (default) or provider
	ExecutionProvider string          `json:"executionProvider,omitempty"`
	File              string          `json:"-"`
}

// Hook is a loaded defineHook.
type Hook struct {
	ID   string `json:"id"`
	Hook string `json:"hook"`
	File string `json:"-"`
}

// EffectDef is a loaded defineEffect.
type EffectDef struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Args        json.RawMessage `json:"args,omitempty"`
	File        string          `json:"-"`
}

// Endpoint is a loaded defineThreadEndpoint or defineController.
type Endpoint struct {
	Method     string `json:"method"`
	Path       string `json:"path"` // "/foobar/[id]"
	Controller bool   `json:"controller,omitempty"`
	File       string `json:"-"`
}

// ProviderDef is a provider that the project defines in TypeScript.
type ProviderDef struct {
	Name string `json:"name"`
	File string `json:"-"`
}

// Project is a source of definitions that may change while the program runs.
// Definitions returns the newest good snapshot; it never blocks on JavaScript.
type Project interface {
	Definitions() *Definitions
}

// FixedProject is a Project that never changes.
type FixedProject struct{ Defs *Definitions }

// Definitions implements Project.
func (p FixedProject) Definitions() *Definitions { return p.Defs }

// Time converts m.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)).UTC() }

// MicrosOf converts t.
func MicrosOf(t time.Time) Micros { return Micros(t.UnixMicro()) }

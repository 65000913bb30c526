package engine

import "time"

// Caps and defaults of the engine. README.md lists them with the error that each
// gives.
const (
	DefaultTotalSteps  = 250              // steps of one execution, raised to the largest configured maxSteps: max_total_steps
	RepeatedToolErrors = 8                // consecutive identical tool errors: repeated_tool_error
	ModelAttempts      = 2                // attempts per model before its next fallback
	RetryBase          = time.Second      // first back-off; doubles, and yields to a longer retry-after
	MaxRetryAfter      = 2 * time.Minute  // a longer retry-after goes to the next fallback at once
	MaxQueue           = 1000             // queued items of one thread: limit error on submit
	MaxContent         = 4 << 20          // bytes of one submitted message
	MaxKeyLength       = 512              // bytes of a key of the key-value store (runtime §14.2)
	MaxValueSize       = 1 << 20          // bytes of a JSON value of the key-value store
	MaxKeys            = 10_000           // keys of one thread
	SpillSize          = 32 << 10         // bytes of a tool result that stay in the message; a longer one goes to the output store
	PreviewSize        = 2 << 10          // bytes of a spilled result that the model still sees at its start
	EventPreview       = 160              // bytes of text in an event
	MaxPromptDepth     = 8                // nesting of sub-prompts and of invokeTool
	MaxThreadDepth     = 8                // nesting of subagents: error result of the call that would spawn
	MaxThreadName      = 120              // bytes of a subagent's name
	MaxQueuedTools     = 100              // tools that one step may queue with queueTool
	MaxTitle           = 60               // characters of a title taken from the first message
	EffectAttempts     = 5                // of one effect before it's dead
	EffectBackoff      = 10 * time.Second // after its first failure; doubles
	HookTimeout        = 30 * time.Second // of one hook: hook.failed, its input is kept
	MaxFileSize        = 64 << 20         // bytes of one file of a thread
	MaxFiles           = 10_000           // files and directories of one thread
	MaxFilesSize       = 1 << 30          // bytes of all files of one thread
	MaxFilePath        = 1024             // bytes of a file's path
	MaxFileName        = 255              // bytes of one segment of it
	MaxFileMetadata    = 64 << 10         // bytes of JSON of a file's metadata
	FileChunk          = 256 << 10        // bytes of a file that are stored, and streamed, at a time
	MaxGrepMatches     = 10_000           // lines that one grepFiles answers; the rest is left out
	MaxImagePixels     = 128 << 20        // bytes that a decoded image may take: a larger one has no thumbnail
	ThumbnailSide      = 256              // pixels of the longer side of a thumbnail
	MaxAttachments     = 32               // files of one message or tool result
	MaxImageSize       = 10 << 20         // bytes of an image that is sent to a model; a larger one is described
	MaxImagesSize      = 32 << 20         // bytes of all images of one request, the newest first
	MaxOpenEvents      = 4096             // events that wait for one subscriber in memory; past it, it re-reads the log
)

package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

// open shows a thread.
func (a *app) open(id engine.ThreadID) tea.Cmd {
	a.leave()
	a.id, a.loading = id, true
	a.threads.open(id)
	return openThread(a.ctx, a.backend, a.gen, id)
}

// draft shows the place of a new thread; it is made with its first message.
func (a *app) draft(agent string) {
	a.leave()
	a.agent = agent
	a.threads.open("")
	a.setFocus(focusComposer)
}

func (a *app) leave() {
	for _, e := range a.echoes {
		if !e.sent {
			a.composer.insert(e.text) // nothing that was written is lost
		}
	}
	a.conversation = conversation{gen: a.nextGen()}
	a.forgetReads()
	a.queue.set(nil)
	a.transcript.reset(speakerNames{})
}

func (a *app) onThreads(msg threadsMsg) tea.Cmd {
	a.threads.loaded = true
	if msg.err != nil {
		a.sayError(msg.err)
		return nil
	}
	a.threads.put(msg.page.Threads)
	if msg.search == "" {
		a.threads.cursor = msg.page.Cursor
	}
	if !msg.initial || a.id != "" || a.agent != "" {
		return nil
	}
	if len(a.threads.items) > 0 && a.o.Message == "" {
		return a.open(a.threads.items[0].ThreadID)
	}
	a.draft(firstAgent(a.defs))
	if text := a.o.Message; text != "" {
		a.o.Message = ""
		return a.send(text)
	}
	return nil
}

func (a *app) onTouched(msg touchedMsg) tea.Cmd {
	a.backlog.reading = false
	for _, t := range msg.threads {
		if t.ParentThreadID != "" {
			a.backlog.children[t.ThreadID] = true
		}
	}
	a.threads.put(msg.threads)
	for _, id := range msg.gone {
		a.threads.remove(id)
	}
	return a.catchUp()
}

func (a *app) onOpened(msg openedMsg) tea.Cmd {
	if msg.gen != a.gen {
		return nil
	}
	a.loading = false
	if msg.err != nil {
		a.sayError(msg.err)
		if a.home != nil {
			return a.comeBack()
		}
		a.draft(firstAgent(a.defs))
		return nil
	}
	a.transcript.reset(a.namesOf(msg.thread))
	a.transcript.more = msg.page.More
	a.transcript.merge(msg.page.Messages)
	if !a.readOnly() {
		a.composer.setHistory(a.transcript.said())
	}
	return tea.Batch(a.settle(msg), a.catchUp())
}

// settle takes the read models of the open thread.
func (a *app) settle(msg openedMsg) tea.Cmd {
	a.thread, a.turn, a.requests = msg.thread, msg.turn, msg.waits
	a.threads.put([]engine.ThreadRead{*msg.thread})
	a.transcript.setActivity(a.running(), a.thread.Doing)
	if !a.running() || a.interrupting != a.runningTurn() {
		a.interrupting = ""
	}
	a.dropEchoes(msg.queue)
	a.queue.set(slices.DeleteFunc(msg.queue, func(q engine.QueueItem) bool { return a.echoed(q.TurnID) }))
	if a.queue.empty() && a.focus == focusQueue {
		a.setFocus(focusComposer)
	}
	if a.stream != nil && (a.transcript.has(a.stream.stream.id) || !a.running()) {
		a.stream = nil
	}
	a.setTail()
	return a.animate()
}

// dropEchoes forgets what can be read by now.
func (a *app) dropEchoes(queue []engine.QueueItem) {
	a.echoes = slices.DeleteFunc(a.echoes, func(e echo) bool {
		queued := slices.ContainsFunc(queue, func(q engine.QueueItem) bool { return q.TurnID == e.turn })
		return a.transcript.hasTurn(e.turn) || queued && e.queued || e.acked && !queued
	})
}

// echoed reports whether a message is shown in the conversation although it still
// waits: it is about to start.
func (a *app) echoed(turn engine.TurnID) bool {
	return turn != "" && slices.ContainsFunc(a.echoes, func(e echo) bool { return e.turn == turn && !e.queued })
}

func (a *app) onRefreshed(msg refreshedMsg) tea.Cmd {
	if msg.gen != a.gen {
		return nil
	}
	a.backlog.refreshing = false
	if msg.err != nil {
		if engine.CodeOf(msg.err) != engine.CodeCanceled {
			a.sayError(msg.err)
		}
		return nil
	}
	for _, id := range msg.gone {
		a.transcript.drop(id)
	}
	if names := a.namesOf(msg.thread); names != a.transcript.speaker {
		a.transcript.speaker = names
		a.transcript.rebuild()
	}
	if low, _ := a.transcript.bounds(); low == 0 {
		a.transcript.more = msg.page.More
	}
	a.transcript.merge(msg.edited)
	a.transcript.merge(msg.page.Messages)
	return tea.Batch(a.settle(msg.openedMsg), a.catchUp())
}

func (a *app) onOlder(msg olderMsg) tea.Cmd {
	if msg.gen != a.gen {
		return nil
	}
	a.backlog.older = false
	if msg.err != nil {
		a.sayError(msg.err)
		return nil
	}
	a.transcript.hold()
	a.transcript.more = msg.page.More && len(msg.page.Messages) > 0
	a.transcript.merge(msg.page.Messages)
	a.transcript.settle(a.transcript.blocks())
	if !a.readOnly() {
		a.composer.setHistory(a.transcript.said())
	}
	return nil
}

func (a *app) onDeleted(msg deletedMsg) tea.Cmd {
	if msg.err != nil {
		a.sayError(msg.err)
		return nil
	}
	a.threads.remove(msg.id)
	if a.id != msg.id {
		return nil
	}
	if len(a.threads.items) > 0 {
		return a.open(a.threads.items[0].ThreadID)
	}
	a.draft(firstAgent(a.defs))
	return nil
}

// namesOf labels the sides of a thread.
func (a *app) namesOf(t *engine.ThreadRead) speakerNames {
	n := speakerNames{dual: t.AgentType == engine.DualAI, a: "Side A", b: "Side B"}
	if a.defs == nil || a.defs.Agents[t.Agent] == nil {
		return n
	}
	agent := a.defs.Agents[t.Agent]
	if l := oneLine(agent.SideA.Label); l != "" {
		n.a += " · " + l
	}
	if agent.SideB != nil {
		if l := oneLine(agent.SideB.Label); l != "" {
			n.b += " · " + l
		}
	}
	return n
}

// agentsOf lists the agents by name.
func agentsOf(d *engine.Definitions) []*engine.Agent {
	if d == nil {
		return nil
	}
	var out []*engine.Agent
	for _, ag := range d.Agents {
		out = append(out, ag)
	}
	slices.SortFunc(out, func(x, y *engine.Agent) int { return strings.Compare(x.Name, y.Name) })
	return out
}

// firstAgent is the agent of a first thread: the tour where there is one, else
// the first that a person can talk to.
func firstAgent(d *engine.Definitions) string {
	agents := agentsOf(d)
	for _, ag := range agents {
		if ag.Name == "tour" {
			return ag.Name
		}
	}
	for _, ag := range agents {
		if ag.Type == engine.AIHuman {
			return ag.Name
		}
	}
	if len(agents) > 0 {
		return agents[0].Name
	}
	return ""
}

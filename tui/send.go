package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/sideb-dev/sideb/engine"
)

// submitInput sends what is written, or runs it as a command.
func (a *app) submitInput() tea.Cmd {
	text := strings.TrimSpace(a.composer.text)
	if text == "" {
		return nil
	}
	if name, arg, ok := parseSlash(text); ok {
		a.composer.take()
		return a.command(name, arg)
	}
	if strings.HasPrefix(text, "/") && !strings.ContainsAny(text, " \n") && !strings.Contains(text[1:], "/") {
		a.say("there is no command " + text + "; /help lists them")
		return nil
	}
	if a.backend == nil || a.loading {
		a.say("one moment: still loading")
		return nil
	}
	if a.id == "" && a.agent == "" {
		a.say("this project defines no agent: see sideb check")
		return nil
	}
	return a.send(a.composer.take())
}

// send submits text to the open thread, or to the one that it starts. It is shown
// at once.
func (a *app) send(text string) tea.Cmd {
	e := echo{turn: engine.TurnID(a.o.NewID()), text: text, queued: a.running()}
	a.echoes = append(a.echoes, e)
	a.composer.remember(text)
	a.transcript.toEnd()
	a.setTail()
	return a.sendNext()
}

// sendNext submits the first message that isn't sent, once the one before is
// accepted.
func (a *app) sendNext() tea.Cmd {
	i := slices.IndexFunc(a.echoes, func(e echo) bool { return !e.sent })
	if a.sending || i < 0 {
		return nil
	}
	a.sending, a.echoes[i].sent = true, true
	return submit(a.ctx, a.backend, a.gen, a.id, a.agent, a.echoes[i].turn, a.echoes[i].text)
}

func (a *app) onSubmitted(msg submittedMsg) tea.Cmd {
	return a.at(msg.gen, func() tea.Cmd { return a.submitted(msg) })
}

func (a *app) submitted(msg submittedMsg) tea.Cmd {
	a.sending = false
	if msg.thread != nil {
		a.id, a.agent = msg.thread.ThreadID, ""
		a.thread = msg.thread
		a.threads.put([]engine.ThreadRead{*msg.thread})
		a.threads.open(a.id)
		a.transcript.speaker = a.namesOf(msg.thread)
	}
	i := slices.IndexFunc(a.echoes, func(e echo) bool { return e.turn == msg.turn })
	if msg.err != nil {
		a.sayError(msg.err)
		if i >= 0 {
			if a.composer.empty() {
				a.composer.set(a.echoes[i].text)
			}
			a.echoes = slices.Delete(a.echoes, i, i+1)
		}
		a.setTail()
		return a.sendNext()
	}
	if i >= 0 {
		a.echoes[i].acked = true
	}
	a.backlog.dirty = a.id != ""
	return tea.Batch(a.sendNext(), a.catchUp())
}

// command runs a slash command.
func (a *app) command(name, arg string) tea.Cmd {
	switch name {
	case "new":
		return a.newThread(arg)
	case "agents":
		return a.pickAgent()
	case "threads":
		a.list = listShown
		a.setFocus(focusThreads)
	case "queue":
		if a.queue.empty() {
			a.say("nothing is queued")
			return nil
		}
		a.setFocus(focusQueue)
	case "tree":
		return a.showTree()
	case "env":
		return a.openForm()
	case "interrupt":
		return a.interruptTurn()
	case "copy":
		return a.copyAnswer()
	case "delete":
		return a.confirmDelete()
	case "help":
		a.dialog = helpDialog(a.keys)
	case "quit":
		return tea.Quit
	}
	return nil
}

func (a *app) newThread(agent string) tea.Cmd {
	if agent == "" {
		return a.pickAgent()
	}
	if a.defs == nil || a.defs.Agents[agent] == nil {
		a.say("there is no agent " + oneLine(agent) + "; /agents lists them")
		return nil
	}
	a.draft(agent)
	return nil
}

// pickAgent offers the agents; where there is only one it is taken.
func (a *app) pickAgent() tea.Cmd {
	if a.backend != nil {
		a.defs = a.backend.Definitions()
		a.composer.slash.agents = agentsOf(a.defs)
	}
	agents := agentsOf(a.defs)
	switch len(agents) {
	case 0:
		a.say("this project defines no agent: see sideb check")
	case 1:
		a.draft(agents[0].Name)
	default:
		a.dialog = agentDialog(agents, func(i int) tea.Cmd { a.draft(agents[i].Name); return nil })
	}
	return nil
}

// interruptTurn ends the running turn, and says so before it has.
func (a *app) interruptTurn() tea.Cmd {
	if !a.running() || a.readOnly() {
		return nil
	}
	a.interrupting = a.runningTurn()
	return interrupt(a.ctx, a.backend, a.id)
}

// runningTurn is the turn that the open thread is at, "?" while that isn't known.
func (a *app) runningTurn() engine.TurnID {
	if a.thread == nil || len(a.thread.ActiveTurns) == 0 {
		return "?"
	}
	return a.thread.ActiveTurns[0]
}

func (a *app) copyAnswer() tea.Cmd {
	text := a.transcript.lastAnswer()
	if text == "" {
		a.say("there is no answer to copy yet")
		return nil
	}
	a.say("copied the last answer")
	return tea.SetClipboard(text)
}

func (a *app) confirmDelete() tea.Cmd {
	if a.id == "" || a.thread == nil {
		a.say("no thread is open")
		return nil
	}
	id := a.id
	a.dialog = confirmDialog("Delete “"+cut(threadTitle(a.thread), 40)+"” and its messages?", "Keep it", "Delete it",
		func() tea.Cmd { return deleteThread(a.ctx, a.backend, id) })
	return nil
}

func (a *app) onDone(msg doneMsg) tea.Cmd {
	if msg.err == nil {
		a.backlog.dirty = true
		return a.catchUp()
	}
	if msg.what == "interrupt" {
		a.interrupting = ""
		if engine.CodeOf(msg.err) == engine.CodeConflict {
			return nil // it had ended by itself
		}
	}
	a.sayError(msg.err)
	return nil
}

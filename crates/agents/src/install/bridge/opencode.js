export const Cairn = async ({ directory }) => {
  const calls = new Map()
  const last = new Map()
  return {
    "tool.execute.before": async (input, output) => {
      const { tool, sessionID: session, callID: call } = input
      calls.set(call, output.args)
      await judge("pre-tool", { event: "pre_tool", session, call, tool, args: output.args, cwd: directory })
    },
    "tool.execute.after": async (input, output) => {
      const { tool, sessionID: session, callID: call } = input
      const args = calls.get(call) ?? input.args ?? {}
      calls.delete(call)
      const seen = { result: output.output, exit: exitCode(output.metadata) }
      const answer = await tell("post-tool", { event: "post_tool", session, call, tool, args, cwd: directory, ...seen })
      const note = answer.decision === "deny" ? answer.reason : answer.context
      if (note) output.output = `${output.output}\n\n${note}`
    },
    "chat.message": async (input, output) => {
      const session = input.sessionID
      const text = output.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n")
      const answer = await tell("prompt", { event: "prompt", session, text, cwd: directory })
      keep(session, "prompt", answer.context)
    },
    "experimental.chat.system.transform": async (input, output) => {
      for (const text of kept(input.sessionID)) output.system.push(text)
    },
    "experimental.text.complete": async (input, output) => {
      last.set(input.sessionID, output.text)
    },
    "experimental.session.compacting": async (input, output) => {
      const session = input.sessionID
      const answer = await tell("compact", { event: "compact", session, cwd: directory })
      keep(session, "start", answer.context)
      if (answer.context) output.context?.push(answer.context)
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID ?? event.properties?.info?.id
      if (event.type === "session.created") {
        const answer = await tell("session-start", { event: "session_start", session, cwd: directory })
        keep(session, "start", answer.context)
      }
      if (event.type === "session.idle") {
        const answer = await tell("stop", { event: "stop", session, text: last.get(session), cwd: directory })
        keep(session, "stop", answer.decision === "deny" ? answer.reason : undefined)
        last.delete(session)
      }
      if (event.type === "session.deleted") {
        said.delete(session)
        await tell("session-end", { event: "session_end", session, cwd: directory })
      }
    },
  }
}

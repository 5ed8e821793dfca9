export default {
  id: "cairn",
  setup: async (ctx) => {
    const cwd = ctx.location?.directory ?? process.cwd()
    await ctx.tool.hook("execute.before", async (event) => {
      const { tool, sessionID: session, id: call, input: args } = event
      await judge("pre-tool", { event: "pre_tool", session, call, tool, args, cwd })
    })
    await ctx.tool.hook("execute.after", async (event) => {
      const { tool, sessionID: session, id: call, input: args } = event
      const seen = { result: event.result ?? event.error, ok: event.status === "completed", exit: exitCode(event.result?.metadata) }
      await tell("post-tool", { event: "post_tool", session, call, tool, args: args ?? {}, cwd, ...seen })
    })
    await ctx.permission?.hook?.("evaluate", async (event) => {
      const { tool, action, sessionID: session, id: call, input, resources } = event
      const args = input ?? { action, resources }
      try {
        await judge("permission", { event: "permission", session, call, tool: tool ?? action, args, cwd })
      } catch (error) {
        event.decision = error.decision === "ask" ? "ask" : "deny"
        event.message = error.message
      }
    })
    await ctx.session?.hook?.("prompt", async (event) => {
      const session = event.sessionID
      const text = event.prompt?.text ?? (event.parts ?? []).map((part) => part.text ?? "").join("\n")
      const answer = await tell("prompt", { event: "prompt", session, text, cwd })
      keep(session, "prompt", answer.context)
    })
    await ctx.session?.hook?.("context", (event) => {
      for (const text of kept(event.sessionID)) event.system?.push({ type: "text", text })
    })
    await ctx.session?.hook?.("compaction", async (event) => {
      const session = event.sessionID
      const answer = await tell("compact", { event: "compact", session, cwd })
      keep(session, "start", answer.context)
      if (answer.context) event.system?.push({ type: "text", text: answer.context })
    })
    follow(ctx, cwd)
  },
}

// The course of the sessions, beside the calls.
async function follow(ctx, cwd) {
  // The parts of each session's last message, in their order.
  const last = new Map()
  const words = {
    "session.created": ["session-start", "session_start"],
    "session.execution.succeeded": ["stop", "stop"],
    "session.deleted": ["session-end", "session_end"],
  }
  for await (const event of ctx.event?.subscribe?.() ?? []) {
    const [word, name] = words[event.type] ?? []
    const data = event.data ?? event.properties
    const session = data?.sessionID ?? data?.id
    if (event.type === "session.text.ended" && typeof data?.text === "string") {
      const known = last.get(session)
      const parts = known?.message === data.assistantMessageID ? known.parts : new Map()
      last.set(session, { message: data.assistantMessageID, parts: parts.set(data.ordinal ?? 0, data.text) })
    }
    if (!word) continue
    const parts = [...(last.get(session)?.parts ?? [])].sort(([one], [other]) => one - other)
    const text = name === "stop" && parts.length ? parts.map(([, part]) => part).join("\n") : undefined
    if (name !== "session_start") last.delete(session)
    const answer = await tell(word, { event: name, session, text, cwd })
    if (name === "session_start") keep(session, "start", answer.context)
    if (name === "stop") keep(session, "stop", answer.decision === "deny" ? answer.reason : undefined)
    if (name === "session_end") said.delete(session)
  }
}

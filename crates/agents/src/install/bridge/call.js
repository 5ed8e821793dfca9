const DEADLINE_MS = 2000

// Asks the program once. Whatever keeps it from answering is an error, which the caller lets through or not.
function ask(word, message) {
  return new Promise((resolve, reject) => {
    const fail = (why) =>
      reject(new Error(`cairn could not judge this: ${why}. A person finds the cause with \`cairn hook status ${AGENT}\``))
    let child
    try {
      child = spawn(PROGRAM, ["hook", AGENT, word], { cwd: message.cwd, stdio: ["pipe", "pipe", "ignore"] })
    } catch (error) {
      return fail(error.message)
    }
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      fail("no answer in time")
    }, DEADLINE_MS)
    let out = ""
    child.stdout.setEncoding("utf8")
    child.stdout.on("data", (text) => (out += text))
    child.stdin.on("error", () => {})
    child.on("error", (error) => {
      clearTimeout(timer)
      fail(error.message)
    })
    child.on("close", () => {
      clearTimeout(timer)
      try {
        resolve(JSON.parse(out))
      } catch {
        fail("its answer is not JSON")
      }
    })
    child.stdin.end(JSON.stringify({ agent: AGENT, ...message }))
  })
}

// Throws unless the call is allowed, in just that word.
async function judge(word, message) {
  const answer = await ask(word, message)
  if (answer?.decision === "allow") return answer
  if (answer?.decision === "deny" || answer?.decision === "ask") {
    throw Object.assign(new Error(answer.reason || "denied by cairn"), { decision: answer.decision })
  }
  throw new Error(`cairn gave no decision. A person finds the cause with \`cairn hook status ${AGENT}\``)
}

// Tells of what can't be prevented any more; nothing is held up when nobody listens.
async function tell(word, message) {
  try {
    return await ask(word, message)
  } catch {
    return {}
  }
}

const exitCode = (metadata) => (Number.isInteger(metadata?.exit) ? metadata.exit : undefined)

// What was said for the context of each session, which stands in its requests: at its start, at its last prompt, and what
// was wrong when its last turn ended.
const said = new Map()

function keep(session, when, context) {
  if (when !== "start" || context) said.set(session, { ...said.get(session), [when]: context })
}

function kept(session) {
  const { start, prompt, stop } = said.get(session) ?? {}
  return [start, prompt, stop].filter((text, at, all) => text && all.indexOf(text) === at)
}

// An agent that prints endlessly to the stream that its argument names.
const stream = process.argv[2] === 'stderr' ? process.stderr : process.stdout
const line = `${JSON.stringify({ type: 'answer', text: 'a'.repeat(1000) })}\n`
const print = () => {
  while (stream.write(line));
  stream.once('drain', print)
}
print()

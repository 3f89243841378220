/**
 * Ignores the sentences in `.describe('…')` and `.meta({ description: '…' })`. They are documentation inside
 * code: no test could tell a good one from a bad one. All other strings are mutated.
 */
const descriptions = {
  shouldIgnore(path) {
    return isDescribed(path) || isDescription(path) ? 'documentation' : undefined
  },
}

function isDescribed(path) {
  return path.listKey === 'arguments' && isMethodCall(path.parentPath, 'describe')
}

function isDescription(path) {
  const property = path.parentPath
  return (
    path.key === 'value' &&
    property.isObjectProperty() &&
    property.node.key.name === 'description' &&
    isMethodCall(property.parentPath.parentPath, 'meta')
  )
}

function isMethodCall(path, name) {
  return path.isCallExpression() && path.node.callee.property?.name === name
}

export const strykerPlugins = [{ kind: 'Ignore', name: 'descriptions', value: descriptions }]

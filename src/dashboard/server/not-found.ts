import { InputError } from '../../core/errors/errors.js'

/** The resource named in the URL does not exist: 404 instead of 400. */
export class NotFoundError extends InputError {}

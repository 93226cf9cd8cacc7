// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.transport;

/**
 * How far the closing of a channel is.
 *
 * <pre>
 * STAYING -> SAYING_GOODBYE -> QUIET
 *    |                           ^
 *    +---------------------------+   a broken channel has nobody to say goodbye to
 * </pre>
 */
enum CloseState {
  /** Nobody has closed it. */
  STAYING,
  /** GOODBYE is under way, behind everything else that is. */
  SAYING_GOODBYE,
  /** The peer has taken note, or never will. */
  QUIET
}

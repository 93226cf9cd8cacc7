// SPDX-License-Identifier: Apache-2.0

/**
 * Peers that stay connected: a session has one connection to each node that it is needed for, opens
 * it again when it was lost, and carries messages, calls and replies over it. Uses the SPI alone.
 */
package io.meshtransport.session;

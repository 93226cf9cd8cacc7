// SPDX-License-Identifier: Apache-2.0
/**
 * The neighbours' protocol on this host: UDP sockets, interfaces that come and go, and one thread
 * for all of them.
 */
package io.meshtransport.neighbours.agent;

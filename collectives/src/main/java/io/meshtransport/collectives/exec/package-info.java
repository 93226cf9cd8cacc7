// SPDX-License-Identifier: Apache-2.0
/**
 * Runs what was planned: each rank's part of an operation as state machines that puts, notices and
 * their ends drive. Knows no connection and no thread: {@link
 * io.meshtransport.collectives.exec.Links} are all it has of the network, and one thread at a time
 * calls it.
 */
package io.meshtransport.collectives.exec;

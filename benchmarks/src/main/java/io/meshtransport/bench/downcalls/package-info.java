// SPDX-License-Identifier: Apache-2.0
/**
 * What a message costs in calls and garbage, where no device and no wire costs anything, and beside
 * a plain socket where both go through the kernel: {@code ./mesh bench downcalls}. JMH runs it, in
 * JVMs of its own.
 */
package io.meshtransport.bench.downcalls;

// SPDX-License-Identifier: Apache-2.0

/**
 * Who polls the channels: a program's pollers, and the transport's own thread for what no program
 * polls.
 */
package io.meshtransport.transport.poll;

// SPDX-License-Identifier: Apache-2.0
/**
 * What a distributed framework codes against: open a {@link io.meshtransport.spi.Transport},
 * listen, carry the listener's handle to the peer by any means, connect, and move messages over
 * one-way channels. The contract is that of ncclNet in Java idiom: nothing blocks unless its name
 * says so, requests are tested, memory is registered once, and a full channel says BUSY.
 *
 * <p>Numbers of the hot path: a request or a length is 0 or more; {@link
 * io.meshtransport.spi.Channel#PENDING}, {@link io.meshtransport.spi.Channel#FAILED} and {@link
 * io.meshtransport.spi.Channel#BUSY} are negative. A mistake of the caller (foreign memory, bounds,
 * use after close) is an IllegalArgumentException or IllegalStateException at once; a thing that
 * happens in the world is a {@link io.meshtransport.spi.TransportException} with a reason.
 *
 * <p>Times that a call waits may be any: what is left of a deadline may be 0 or less, which looks
 * once and does not wait, and one too long for nanoseconds is as good as none. Times that an option
 * keeps for later must be more than 0.
 */
package io.meshtransport.spi;

// SPDX-License-Identifier: Apache-2.0
/**
 * The implementation of the SPI: router, connection set-up and channels.
 *
 * <p>Two modules only lie on a message's way, this one and the verbs; no queue and no thread lies
 * between them. In here a send passes {@link io.meshtransport.transport.MeshSendChannel}, which
 * checks it, {@link io.meshtransport.transport.TaggedSends}, which matches it with a receive of the
 * peer's, {@link io.meshtransport.transport.SendQueue}, which cuts it into parts, and {@link
 * io.meshtransport.transport.MeshEndpoint}, which writes and posts work requests;
 * docs/ARCHITECTURE.md walks all of it. Set-up lives in classes of its own: {@link
 * io.meshtransport.transport.Connector} for the side that connects, {@link
 * io.meshtransport.transport.MeshListener} for the side that accepts.
 */
package io.meshtransport.transport;

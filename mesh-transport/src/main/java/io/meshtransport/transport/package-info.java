/**
 * The implementation of the SPI: router, connection set-up and channels.
 *
 * <p>Two rooms only lie on a message's way: {@link io.meshtransport.transport.MeshSendChannel} (or
 * its receiving twin) and the verbs. Set-up lives in classes of its own: {@link
 * io.meshtransport.transport.Connector} for the side that connects, {@link
 * io.meshtransport.transport.MeshListener} for the side that accepts.
 */
package io.meshtransport.transport;

// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli;

import io.meshtransport.spi.ChannelFuture;
import io.meshtransport.spi.SendChannel;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import io.meshtransport.spi.TransportException.Reason;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Where a peer answers who it is, as people write it: {@code 10.0.1.2}, {@code node-b:4800}, {@code
 * [fe80::2%eth1]:4800}. An IPv6 address may do without brackets where there is no port.
 *
 * @param host name or address, without brackets
 * @param port 1 to 65535
 */
record PeerArgument(String host, int port) {
  private static final Pattern FORM =
      Pattern.compile(
          "\\[(?<bracketed>[0-9A-Fa-f:.]+(?:%\\S+)?)](?::(?<portOfBracketed>\\d{1,5}))?"
              + "|(?<bare>[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:.]*(?:%\\S+)?)"
              + "|(?<name>[^\\s:\\[\\]/]+)(?::(?<port>\\d{1,5}))?");

  /**
   * @throws TransportException BAD_HANDLE if it is written in no such way
   */
  static PeerArgument parse(String text) throws TransportException {
    Matcher form = FORM.matcher(text.strip());
    if (!form.matches()) {
      throw refused(text);
    }
    String host = first(form, "bracketed", "bare", "name");
    String port = first(form, "portOfBracketed", "port");
    int number = port == null ? Transport.DEFAULT_HANDSHAKE_PORT : Integer.parseInt(port);
    if (number < 1 || number > 0xFFFF) {
      throw refused(text);
    }
    return new PeerArgument(host, number);
  }

  private static String first(Matcher form, String... groups) {
    return Arrays.stream(groups)
        .map(form::group)
        .filter(group -> group != null)
        .findFirst()
        .orElse(null);
  }

  private static TransportException refused(String text) {
    return new TransportException(
        Reason.BAD_HANDLE,
        "'"
            + text
            + "' is neither a handle (mesh:...) nor HOST or HOST:PORT with a port from 1 to 65535. Write an IPv6"
            + " address with a port as [ADDRESS]:PORT.");
  }

  /**
   * A handle, and the address that answered with it.
   *
   * @param named empty if the handle was given as it is
   */
  record Answer(byte[] handle, Optional<InetAddress> named) {
    ChannelFuture<SendChannel> connect(Transport transport) throws TransportException {
      return named.isEmpty() ? transport.connect(handle) : transport.connect(handle, named.get());
    }
  }

  /**
   * Queries the peer's handle, at each address of a name in turn until one answers.
   *
   * @param atMost for each address
   * @param asking called before each query
   */
  Answer query(Transport transport, Duration atMost, Runnable asking) throws TransportException {
    TransportException why = null;
    for (InetAddress address : resolve()) {
      asking.run();
      try {
        byte[] handle = await(transport.lookup(new InetSocketAddress(address, port)), atMost);
        return new Answer(handle, Optional.of(address));
      } catch (TransportException e) {
        TransportException here = withSubnets(e, OwnSubnets.of(transport.nics()), address);
        if (why != null) {
          here.addSuppressed(why);
        }
        why = here;
      }
    }
    throw why;
  }

  /** An address of the wrong cable is the usual mistake on a mesh. */
  private static TransportException withSubnets(
      TransportException failure, OwnSubnets own, InetAddress address) {
    return failure.reason() == Reason.PEER_UNREACHABLE || failure.reason() == Reason.TIMED_OUT
        ? new TransportException(
            failure.reason(), own.explain(failure.getMessage(), address), failure)
        : failure;
  }

  private List<InetAddress> resolve() throws TransportException {
    try {
      return List.of(InetAddress.getAllByName(host));
    } catch (UnknownHostException e) {
      throw new TransportException(
          Reason.PEER_UNREACHABLE,
          "This host knows no address of '"
              + host
              + "'. Is the name, or the scope of an IPv6 address, spelled right? `getent ahosts "
              + host
              + "` asks the same.",
          e);
    }
  }

  private byte[] await(CompletableFuture<byte[]> asked, Duration atMost) throws TransportException {
    try {
      return asked.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof TransportException why) {
        throw why;
      }
      throw new IllegalStateException("lookup() fails with a TransportException only", e);
    } catch (TimeoutException e) {
      asked.cancel(false);
      throw new TransportException(
          Reason.TIMED_OUT, this + " did not answer within " + atMost.toSeconds() + " s.", e);
    } catch (InterruptedException e) {
      asked.cancel(false);
      Thread.currentThread().interrupt();
      throw new TransportException(Reason.INTERRUPTED, "Asking " + this + " was interrupted.", e);
    }
  }

  /** As {@link #parse} reads it, the port left out where it is the default. */
  @Override
  public String toString() {
    String bracketed = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return port == Transport.DEFAULT_HANDSHAKE_PORT ? bracketed : bracketed + ":" + port;
  }
}

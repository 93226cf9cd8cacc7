// SPDX-License-Identifier: Apache-2.0
package io.meshtransport.cli.map;

import io.meshtransport.neighbours.map.MeshMap;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Where other processes of the same user read the map of a running agent: a socket in the file
 * system, in a folder that this user alone may enter. A reader connects and gets one map in JSON.
 * One socket per network namespace and port of the neighbours' protocol, as there is one agent.
 */
public final class MapSocket implements AutoCloseable {
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rwx------");

  /** Between two looks at whether the time is over. */
  private static final long POLL_MS = 500;

  /** For a reader that does not read. */
  private static final long WRITE_LIMIT_MS = 2000;

  private static final long READ_LIMIT_MS = 5000;
  private static final int MAX_BYTES = 64 << 20;
  private static final int PART_BYTES = 1 << 16;

  private final Path path;
  private final ServerSocketChannel server;
  private final Selector selector;
  private final Supplier<MeshMap> maps;
  private final Thread thread;
  private volatile boolean isClosed;

  private MapSocket(
      Path path, ServerSocketChannel server, Selector selector, Supplier<MeshMap> maps) {
    this.path = path;
    this.server = server;
    this.selector = selector;
    this.maps = maps;
    this.thread = new Thread(this::run, "mesh-map-socket");
    thread.setDaemon(true);
  }

  /**
   * Where the socket of this user, network namespace and port is.
   *
   * @param neighbourPort MESH_NEIGHBOUR_PORT
   */
  public static Path path(int neighbourPort) throws IOException {
    String namespace =
        Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString().replaceAll("\\D", "");
    return Path.of(
        System.getProperty("java.io.tmpdir"),
        "mesh-" + System.getProperty("user.name"),
        "map-%s-%d.sock".formatted(namespace, neighbourPort));
  }

  /**
   * Opens the socket; a file that an agent left behind is replaced.
   *
   * @param maps is called for each reader, on a thread of this object, and must not block
   * @throws IOException if the folder cannot be made or belongs to another user
   */
  public static MapSocket open(Path path, Supplier<MeshMap> maps) throws IOException {
    makeFolder(path.getParent());
    Files.deleteIfExists(path);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(path));
      path.toFile().deleteOnExit(); // Ctrl-C ends the process without close().
      server.configureBlocking(false);
      Selector selector = Selector.open();
      server.register(selector, SelectionKey.OP_ACCEPT);
      MapSocket socket = new MapSocket(path, server, selector, maps);
      socket.thread.start();
      return socket;
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  private static void makeFolder(Path folder) throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }
    PosixFileAttributes found =
        Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isDirectory()
        || !found.owner().getName().equals(System.getProperty("user.name"))
        || !found.permissions().equals(OWNER_ONLY)) {
      throw new IOException(
          folder + " is no folder that this user alone may enter: remove it, or change its rights");
    }
  }

  /** Where readers find it. */
  public Path file() {
    return path;
  }

  private void run() {
    while (!isClosed) {
      try {
        selector.select(POLL_MS);
        selector.selectedKeys().clear();
        for (SocketChannel reader = server.accept(); reader != null; reader = server.accept()) {
          answer(reader, maps.get());
        }
      } catch (IOException | RuntimeException e) {
        // This reader gets nothing; the next one may.
        if (isClosed || !server.isOpen()) {
          return;
        }
      }
    }
  }

  private static void answer(SocketChannel reader, MeshMap map) throws IOException {
    try (reader;
        Selector writable = Selector.open()) {
      reader.configureBlocking(false);
      reader.register(writable, SelectionKey.OP_WRITE);
      ByteBuffer json = ByteBuffer.wrap(map.json().getBytes(StandardCharsets.UTF_8));
      long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WRITE_LIMIT_MS);
      while (json.hasRemaining() && System.nanoTime() < endNs) {
        if (reader.write(json) == 0) {
          writable.select(POLL_MS);
          writable.selectedKeys().clear();
        }
      }
    }
  }

  /**
   * The map of the agent that runs here; empty if none does, or that of another user.
   *
   * @throws IOException if there is an agent that does not answer
   */
  public static Optional<MeshMap> read(Path path) throws IOException {
    if (!Files.exists(path)) {
      return Optional.empty();
    }
    try (SocketChannel agent = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      try {
        agent.connect(UnixDomainSocketAddress.of(path));
      } catch (IOException e) {
        return Optional.empty(); // A killed agent left the file.
      }
      String json = readAll(agent);
      if (json.isEmpty()) {
        throw new IOException("the agent of ./mesh up ends, or does not answer");
      }
      return Optional.of(MapReader.read(json));
    }
  }

  private static String readAll(SocketChannel agent) throws IOException {
    ByteBuffer all = ByteBuffer.allocate(PART_BYTES);
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(READ_LIMIT_MS);
    try (Selector readable = Selector.open()) {
      agent.configureBlocking(false);
      agent.register(readable, SelectionKey.OP_READ);
      while (agent.read(all) >= 0) {
        if (!all.hasRemaining()) {
          all = ByteBuffer.allocate(2 * all.capacity()).put(all.flip());
        }
        if (System.nanoTime() > endNs || all.position() > MAX_BYTES) {
          throw new IOException("the agent of ./mesh up does not answer");
        }
        readable.select(POLL_MS);
        readable.selectedKeys().clear();
      }
    }
    return new String(all.array(), 0, all.position(), StandardCharsets.UTF_8);
  }

  /** Ends the thread and removes the file. A second call has no effect. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    selector.wakeup();
    try {
      thread.join(WRITE_LIMIT_MS + POLL_MS);
      server.close();
      selector.close();
      Files.deleteIfExists(path);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      // The process ends, and the next agent replaces the file.
    }
  }
}

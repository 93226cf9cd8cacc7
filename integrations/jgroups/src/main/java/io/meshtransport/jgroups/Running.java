package io.meshtransport.jgroups;

import io.meshtransport.spi.Listener;
import io.meshtransport.spi.Transport;
import io.meshtransport.spi.TransportException;
import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.logging.Log;

/**
 * What of {@link MESH} lives from start to stop, put together and taken apart. Closing it closes
 * the transport.
 */
final class Running implements AutoCloseable, Absences.Consequences, Links.Fate {
  /** What a bundle has around its messages' own size: more than any version of JGroups adds. */
  private static final int BUNDLE_OVERHEAD_BYTES = 1_536;

  private final Transport transport;
  private final OverlayNetwork network;
  private final Directory directory;
  private final GroupMembers members;
  private final SlotPool pool;
  private final Links links;
  private final Outbox outbox;
  private final Seeds asking;
  private final Absences absences;
  private final Reception reception;
  private final Strangers strangers;
  private final Searches searches;
  private final boolean suspects;

  /**
   * @param mesh whose attributes say how
   * @param transport this object's to close, once it is made
   * @param bundlerBytes that the bundler puts in one bundle at most
   * @param sendDown takes a search for one node
   */
  Running(
      MESH mesh,
      Transport transport,
      int bundlerBytes,
      GroupMembers members,
      LinkIn.Arrivals arrivals,
      Consumer<Message> sendDown,
      Later later,
      Log log)
      throws TransportException {
    this.transport = transport;
    this.members = members;
    suspects = mesh.suspect_gone && GroupMembers.areSuspectsVerified(mesh);
    int roomBytes =
        Math.max(
            Frame.HEADER_BYTES + bundlerBytes + BUNDLE_OVERHEAD_BYTES,
            Frame.HEADER_BYTES + DirectoryMessage.MIN_MESSAGE_BYTES);
    network = OverlayNetwork.parse(mesh.overlay_network);
    Listener listener = transport.listen();
    Node self =
        MeshIdentity.of(
            mesh.node_name,
            mesh.overlay_addr,
            network,
            transport.handshakePort(),
            listener.handle());
    directory = new Directory(self, () -> MemberAddress.write(mesh.getAddress()), log);
    pool = new SlotPool(transport, mesh.send_buffers, roomBytes);
    absences = new Absences(this, mesh.forget_after, later);
    links =
        new Links(
            transport,
            directory,
            pool,
            roomBytes,
            mesh.send_timeout,
            mesh.reconnect_interval,
            this,
            log);
    asking =
        new Seeds(directory, transport::ask, (address, handle) -> links.greet(handle), later, log);
    directory.onSuccession(this::succeeded);
    directory.onDeparture(node -> absences.departed(node.handle()));
    outbox =
        new Outbox(
            pool,
            links,
            roomBytes,
            mesh.max_bundle,
            TimeUnit.MILLISECONDS.toNanos(mesh.send_timeout));
    reception =
        new Reception(
            listener,
            channel ->
                new LinkIn(
                    channel, transport, mesh.recv_buffers, roomBytes, mesh.max_bundle, arrivals),
            log);
    strangers = new Strangers(asking, directory);
    searches = new Searches(directory, network, strangers::look, sendDown, later);
  }

  /** Another life, or the same one claiming to be later. */
  private void succeeded(Node former) {
    if (directory.withHandle(former.handle()).isEmpty()) {
      absences.succeeded(former.handle());
    }
  }

  @Override
  public void stale(Node node) {
    asking.stale(node);
  }

  @Override
  public void opened(byte[] handle) {
    absences.opened(handle);
  }

  @Override
  public void ended(byte[] handle, TransportException why) {
    absences.ended(handle, why);
  }

  @Override
  public void unreached(byte[] handle, TransportException why) {
    absences.unreached(handle, why);
  }

  @Override
  public Optional<InetAddress> addressOf(byte[] handle) {
    return asking.addressOf(handle);
  }

  @Override
  public boolean hasLeft(byte[] handle) {
    return absences.saidGoodbye(handle)
        || absences.member(handle).filter(members::hasLeft).isPresent();
  }

  @Override
  public void suspect(Address member) {
    if (suspects) {
      members.suspect(member);
    }
  }

  @Override
  public boolean isNeeded(byte[] handle, Optional<Address> member) {
    return member.filter(members::has).isPresent()
        || directory.withHandle(handle).filter(node -> members.isAnyAt(node.overlay())).isPresent()
        || asking.isSeeds(handle);
  }

  @Override
  public void forget(byte[] handle) {
    directory.forget(handle);
    links.forget(handle);
  }

  Transport transport() {
    return transport;
  }

  OverlayNetwork network() {
    return network;
  }

  Directory directory() {
    return directory;
  }

  SlotPool pool() {
    return pool;
  }

  Links links() {
    return links;
  }

  Outbox outbox() {
    return outbox;
  }

  Seeds asking() {
    return asking;
  }

  Absences absences() {
    return absences;
  }

  Reception reception() {
    return reception;
  }

  Strangers strangers() {
    return strangers;
  }

  Searches searches() {
    return searches;
  }

  @Override
  public void close() {
    asking.close();
    reception.refuse();
    links.close();
    reception.close();
    transport.close();
  }
}

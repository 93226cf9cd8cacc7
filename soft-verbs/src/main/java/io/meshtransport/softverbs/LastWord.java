package io.meshtransport.softverbs;

/** Says one thing, then nothing, and listens to nobody. Guarded by the device's lock. */
final class LastWord implements WireUser {
  private final FrameType word;
  private boolean isSaid;

  /**
   * @param word a type of frame that needs no more than its type
   */
  LastWord(FrameType word) {
    this.word = word;
  }

  @Override
  public boolean nextFrame(FrameHeader header, PayloadViews payload) {
    if (isSaid) {
      return false;
    }
    isSaid = true;
    header.set(word, 0);
    return true;
  }

  @Override
  public Pending pending() {
    return isSaid ? Pending.NOTHING : Pending.MORE;
  }

  @Override
  public void beginFrame(FrameHeader header, PayloadViews target) {}

  @Override
  public void endFrame(FrameHeader header) {}

  @Override
  public void peerAlive(long nowNs) {}

  @Override
  public void wireLost(String why) {}
}

package io.meshtransport.verbs;

/** A thing made on an opened device. */
abstract class DeviceObject extends NativeObject {
  private final NativeDevice device;

  DeviceObject(long pointer, String kind, NativeDevice device, NativeObject... parents) {
    super(pointer, kind + " of " + device.name(), parents);
    this.device = device;
  }

  final NativeDevice device() {
    return device;
  }

  final ExportedVerbs exported() {
    return device.exported();
  }

  final InlineVerbs inline() {
    return device.inline();
  }

  @Override
  public String toString() {
    return description();
  }
}

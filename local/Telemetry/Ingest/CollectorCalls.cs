using System.Text;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>Senders may report the upload itself as a dependency; that says nothing about the application and feeds itself.</summary>
internal static class CollectorCalls
{
    /// <param name="collector">Host and port, as in the upload's Host header: the sender took both from the same URL.</param>
    public static bool Is(Envelope item, string collector) =>
        item[EnvelopeField.BaseType].SequenceEqual("RemoteDependencyData"u8)
        && item[EnvelopeField.Type].StartsWith("Http"u8)
        && Ascii.EqualsIgnoreCase(item[EnvelopeField.Target], collector);
}

using System.Buffers;
using System.Text.Json;

namespace DroneDelivery.Telemetry.Ingest;

/// <summary>An item as one line of the run's file.</summary>
internal static class OneLine
{
    public static ReadOnlySpan<byte> Of(ReadOnlySpan<byte> item)
    {
        if (item.IndexOfAny((byte)'\n', (byte)'\r') < 0)
            return item;
        var reader = new Utf8JsonReader(item);
        using var document = JsonDocument.ParseValue(ref reader);
        var line = new ArrayBufferWriter<byte>(item.Length);
        using var writer = new Utf8JsonWriter(line);
        document.RootElement.WriteTo(writer);
        writer.Flush();
        return line.WrittenSpan;
    }
}

namespace DroneDelivery.Lab.Experiments;

/// <summary>Copies what arrives into a file: the code that the experiment is about.</summary>
internal static class CopyToFile
{
    /// <summary>Reads until the buffer is full, then writes all of it: one write for each buffer.</summary>
    /// <param name="length">Bytes that will arrive, to give the file its length before the first write; null: it grows.</param>
    public static async Task CopyAsync(
        Stream source, Stream destination, Memory<byte> buffer, long? length, CancellationToken cancellationToken)
    {
        if (length is { } known)
            destination.SetLength(known);
        while (await source.ReadAtLeastAsync(buffer, buffer.Length, throwOnEndOfStream: false, cancellationToken) is var read and > 0)
            await destination.WriteAsync(buffer[..read], cancellationToken);
    }
}

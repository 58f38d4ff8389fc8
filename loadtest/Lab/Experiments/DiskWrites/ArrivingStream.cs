namespace DroneDelivery.Lab.Experiments;

/// <summary>
/// A proof of delivery that arrives: so many bytes, and making them costs nothing. It only goes forward, as the body of an HTTP answer
/// does.
/// </summary>
internal sealed class ArrivingStream(long bytes) : Stream
{
    private long _left = bytes;

    public override bool CanRead => true;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Length => throw new NotSupportedException();

    public override long Position { get => throw new NotSupportedException(); set => throw new NotSupportedException(); }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
    {
        var read = (int)Math.Min(buffer.Length, _left);
        _left -= read;
        return new(read);
    }

    public override void Flush() => throw new NotSupportedException();

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
}

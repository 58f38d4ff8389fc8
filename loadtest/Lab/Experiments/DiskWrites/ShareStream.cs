namespace DroneDelivery.Lab.Experiments;

/// <summary>What a write to the network share is declared to cost. The numbers are fitted to a part of the article's raw data.</summary>
/// <param name="OperationMs">Of each write that makes the file longer.</param>
/// <param name="SmallOperationMs">Of such a write of 128 KiB at most, its bytes included.</param>
/// <param name="KnownLengthMs">Instead of <paramref name="OperationMs"/>, within a length that the file already has.</param>
/// <param name="MsPerMiB">Of the bytes.</param>
/// <param name="LargestBytes">A larger write goes over the network as many of 1 MiB.</param>
internal sealed record ShareCost(double OperationMs, double SmallOperationMs, double KnownLengthMs, double MsPerMiB, long LargestBytes)
{
    public const int MiB = 1 << 20;

    private const int SmallBytes = 128 << 10;

    public static ShareCost Of(KnobValues knobs) => new(
        knobs["share.operation"], knobs["share.smallOperation"], knobs["share.operationInKnownLength"], knobs["share.perMiB"],
        (long)(knobs["share.largestWrite"] * MiB));

    /// <returns>Milliseconds of one write.</returns>
    /// <param name="isLonger">Whether the file becomes longer by it.</param>
    public double Of(int bytes, bool isLonger)
    {
        if (bytes > LargestBytes && bytes > MiB)
            return (double)bytes / MiB * Of(MiB, isLonger);
        var cost = (isLonger ? OperationMs : KnownLengthMs) + MsPerMiB * bytes / MiB;
        return bytes <= SmallBytes ? Math.Min(SmallOperationMs, cost) : cost;
    }
}

/// <summary>A file on the emulated share. It counts its time instead of waiting, so a copy takes no longer than its code does.</summary>
internal sealed class ShareStream(ShareCost cost) : ForwardStream
{
    private long _length;
    private long _position;

    /// <summary>Milliseconds that all writes so far took.</summary>
    public double Elapsed { get; private set; }

    public override bool CanRead => false;

    public override bool CanWrite => true;

    public override void SetLength(long value) => _length = value;

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        _position += buffer.Length;
        Elapsed += cost.Of(buffer.Length, isLonger: _position > _length);
        _length = Math.Max(_length, _position);
        return ValueTask.CompletedTask;
    }
}

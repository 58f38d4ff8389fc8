namespace DroneDelivery.Lab.Experiments;

/// <summary>
/// What writes to the network share are declared to cost, in milliseconds. The numbers are fitted to a part of the article's raw data.
/// Time is counted instead of waited for.
/// </summary>
/// <param name="OperationMs">Of each write that makes the file longer.</param>
/// <param name="SmallOperationMs">Of such a write of 128 KiB at most, its bytes included.</param>
/// <param name="KnownLengthMs">Instead of <paramref name="OperationMs"/>, within a length that the file already has.</param>
/// <param name="MsPerMiB">Of the bytes.</param>
/// <param name="LargestBytes">A larger write goes over the network as many of 1 MiB.</param>
internal sealed record ShareCost(double OperationMs, double SmallOperationMs, double KnownLengthMs, double MsPerMiB, long LargestBytes)
{
    public const int MiB = 1 << 20;

    /// <summary>What <see cref="Stream.CopyToAsync(Stream)"/> writes at a time.</summary>
    public const int SmallBytes = 128 << 10;

    public static ShareCost Of(KnobValues knobs) => new(
        knobs["share.operation"], knobs["share.smallOperation"], knobs["share.operationInKnownLength"], knobs["share.perMiB"],
        (long)(knobs["share.largestWrite"] * MiB));

    /// <summary>A copy that writes whenever its buffer is full, and the rest.</summary>
    /// <param name="knowsLength">Whether it gives the file its length before the first write.</param>
    public double OfCopy(long bytes, long buffer, bool knowsLength = false)
    {
        var milliseconds = 0.0;
        for (var written = 0L; written < bytes; written += buffer)
            milliseconds += OfWrite(Math.Min(buffer, bytes - written), isLonger: !knowsLength);
        return milliseconds;
    }

    /// <param name="isLonger">Whether the file becomes longer by it.</param>
    private double OfWrite(long bytes, bool isLonger)
    {
        if (bytes > LargestBytes && bytes > MiB)
            return (double)bytes / MiB * OfWrite(MiB, isLonger);
        var cost = (isLonger ? OperationMs : KnownLengthMs) + MsPerMiB * bytes / MiB;
        return bytes <= SmallBytes ? Math.Min(SmallOperationMs, cost) : cost;
    }
}

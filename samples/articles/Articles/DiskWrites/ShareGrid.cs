using System.Globalization;

namespace DroneDelivery.Articles.DiskWrites;

/// <summary>Every buffer with every file on the emulated share, in milliseconds.</summary>
internal sealed class ShareGrid(ShareCost cost)
{
    private const int Largest = 256,
        Best = 16,
        Usual = 4;

    /// <summary>Files, in MiB, to whose published cells the costs are fitted; those of the others judge them.</summary>
    public static readonly IReadOnlyList<int> Fitted = [32, 128];

    private static readonly IReadOnlyList<int> Sizes = [1, 2, 4, 8, 16, 32, 64, 128, Largest];

    /// <summary>The published table: a row for each buffer, a column for each file.</summary>
    public static IReadOnlyList<(int Buffer, int File, double Ms)> Published { get; } =
        Cells(Experiment.Load("disk-writes").Article.Table);

    public double this[int buffer, int file] => cost.OfCopy((long)file * ShareCost.MiB, (long)buffer * ShareCost.MiB);

    private double Naive => cost.OfCopy((long)Largest * ShareCost.MiB, ShareCost.SmallBytes);

    public Exhibits Show()
    {
        var errors = Published.Where(cell => !Fitted.Contains(cell.File)).Select(ErrorOf).Order().ToList();
        var figures = new Dictionary<string, double>
        {
            ["share.bestBuffer"] = Sizes.MinBy(buffer => this[buffer, Largest]),
            ["share.largestPerBest"] = this[Largest, Largest] / this[Best, Largest],
            ["share.aboveLimitPerBest"] = this[2 * Best, Largest] / this[Best, Largest],
            ["share.wholeFilePerBest"] = this[Largest, Best] / this[Best, Best],
            ["share.withoutPerWithLength"] = this[1, Largest] / WithKnownLength(1),
            ["share.naivePerTuned"] = Naive / WithKnownLength(Usual),
            ["share.medianError"] = errors[errors.Count / 2] * 100,
            ["share.cellsWithin35"] = errors.Count(error => error <= 0.35) * 100.0 / errors.Count,
        };
        return new(figures) { Tables = [Summary(), Differences()], HeatMaps = [Map()] };
    }

    private double WithKnownLength(int buffer) =>
        cost.OfCopy((long)Largest * ShareCost.MiB, (long)buffer * ShareCost.MiB, knowsLength: true);

    private double ErrorOf((int Buffer, int File, double Ms) cell) =>
        Math.Abs(this[cell.Buffer, cell.File] / cell.Ms - 1);

    private ExperimentTable Summary() =>
        new(
            "A file of 256 MiB, on the emulated share",
            "The share counts its time; nothing waits.",
            ["how", "seconds#"],
            [
                ["CopyToAsync: writes of 128 KiB", Seconds(Naive)],
                ["writes of 1 MiB", Seconds(this[1, Largest])],
                ["writes of 1 MiB, SetLength first", Seconds(WithKnownLength(1))],
                ["writes of 4 MiB, SetLength first", Seconds(WithKnownLength(Usual))],
                ["writes of 16 MiB", Seconds(this[Best, Largest])],
                ["one write of 256 MiB", Seconds(this[Largest, Largest])],
            ]
        );

    private ExperimentTable Differences() =>
        new(
            "Cells further than 35 % from the published one",
            "The declared cost is a straight line; between the runs of the article the share was not always equally fast.",
            ["buffer MiB#", "file MiB#", "article ms#", "emulated ms#", "difference#"],
            [.. Published.Where(cell => ErrorOf(cell) > 0.35).Select(Difference)]
        );

    private IReadOnlyList<string> Difference((int Buffer, int File, double Ms) cell)
    {
        var ours = this[cell.Buffer, cell.File];
        return [$"{cell.Buffer}", $"{cell.File}", $"{cell.Ms:0}", $"{ours:0}", $"{(ours / cell.Ms - 1) * 100:+0;−0} %"];
    }

    private HeatMap Map() =>
        new(
            "Milliseconds to copy a file to the emulated share",
            $"A write of more than {cost.LargestBytes / ShareCost.MiB} MiB is sent as writes of 1 MiB.",
            "ms",
            "file, MiB",
            [.. Sizes.Select(file => $"{file}")],
            "buffer, MiB",
            [.. Sizes.Select(buffer => $"{buffer}")],
            [.. Sizes.Select(buffer => (IReadOnlyList<double>)[.. Sizes.Select(file => this[buffer, file])])]
        );

    private static string Seconds(double milliseconds) => $"{milliseconds / 1000:0.0}";

    private static IReadOnlyList<(int Buffer, int File, double Ms)> Cells(ExperimentTable article) =>
        [
            .. from row in article.Rows
            from column in Enumerable.Range(1, row.Count - 1)
            select (Number(row[0]), Number(article.Head[column]), (double)Number(row[column])),
        ];

    private static int Number(string text) => int.Parse(text.Split(' ')[0].TrimEnd('#'), CultureInfo.InvariantCulture);
}

/// <summary>Declared costs of writes to the network share, in milliseconds, fitted to a part of the article's raw data.</summary>
/// <param name="OperationMs">Of each write that makes the file longer.</param>
/// <param name="SmallOperationMs">Of such a write of 128 KiB at most, its bytes included.</param>
/// <param name="KnownLengthMs">Instead of <paramref name="OperationMs"/>, within a length that the file already has.</param>
/// <param name="MsPerMiB">Of the bytes.</param>
/// <param name="LargestBytes">A larger write goes over the network as many of 1 MiB.</param>
internal sealed record ShareCost(
    double OperationMs,
    double SmallOperationMs,
    double KnownLengthMs,
    double MsPerMiB,
    long LargestBytes
)
{
    public const int MiB = 1 << 20;

    /// <summary>Bytes of a write of <see cref="Stream.CopyToAsync(Stream)"/>.</summary>
    public const int SmallBytes = 128 << 10;

    public static ShareCost Of(Knobs knobs) =>
        new(
            knobs["share.operation"],
            knobs["share.smallOperation"],
            knobs["share.operationInKnownLength"],
            knobs["share.perMiB"],
            (long)(knobs["share.largestWrite"] * MiB)
        );

    /// <summary>A copy that writes whenever its buffer is full, and the rest.</summary>
    public double OfCopy(long bytes, long buffer, bool knowsLength = false)
    {
        var milliseconds = 0.0;
        for (var written = 0L; written < bytes; written += buffer)
            milliseconds += OfWrite(Math.Min(buffer, bytes - written), isLonger: !knowsLength);
        return milliseconds;
    }

    private double OfWrite(long bytes, bool isLonger)
    {
        if (bytes > LargestBytes && bytes > MiB)
            return (double)bytes / MiB * OfWrite(MiB, isLonger);
        var cost = (isLonger ? OperationMs : KnownLengthMs) + MsPerMiB * bytes / MiB;
        return bytes <= SmallBytes ? Math.Min(SmallOperationMs, cost) : cost;
    }
}

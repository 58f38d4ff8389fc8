using System.Globalization;

namespace DroneDelivery.Articles.DiskWrites;

/// <summary>Copy times in milliseconds for all combinations of buffer and file on the emulated share.</summary>
internal sealed class ShareGrid(ShareCost cost)
{
    private const int Largest = 256,
        Best = 16,
        Usual = 4;

    private const double MostError = 0.35;

    /// <summary>File sizes in MiB whose published values were used to fit the costs; the others validate them.</summary>
    public static readonly IReadOnlyList<int> Fitted = [32, 128];

    private static readonly IReadOnlyList<int> Sizes = [1, 2, 4, 8, 16, 32, 64, 128, Largest];

    /// <summary>The published table, with a row per buffer and a column per file.</summary>
    public static IReadOnlyList<PublishedCell> Published { get; } = Cells(Experiment.Load("disk-writes").Article.Table);

    public double this[int buffer, int file] => CostOf(file, buffer, knowsLength: false);

    private double Naive => cost.OfCopy((long)Largest * ShareCost.MiB, ShareCost.SmallBytes);

    public Exhibits Show() => new(Figures()) { Tables = [Summary(), Differences(), All()] };

    private Dictionary<string, double> Figures()
    {
        var best = this[Best, Largest];
        var errors = Published.Where(cell => !Fitted.Contains(cell.File)).Select(ErrorOf).Order().ToList();
        double within35 = errors.Count(error => error <= MostError);
        return new()
        {
            ["share.bestBuffer"] = Sizes.MinBy(buffer => this[buffer, Largest]),
            ["share.largestPerBest"] = this[Largest, Largest] / best,
            ["share.aboveLimitPerBest"] = this[2 * Best, Largest] / best,
            ["share.wholeFilePerBest"] = this[Largest, Best] / this[Best, Best],
            ["share.withoutPerWithLength"] = this[1, Largest] / WithKnownLength(1),
            ["share.naivePerTuned"] = Naive / WithKnownLength(Usual),
            ["share.medianError"] = errors[errors.Count / 2] * 100,
            ["share.cellsWithin35"] = within35 * 100 / errors.Count,
        };
    }

    private double WithKnownLength(int buffer) => CostOf(Largest, buffer, knowsLength: true);

    private double CostOf(int fileMiB, int bufferMiB, bool knowsLength)
    {
        var bytes = (long)fileMiB * ShareCost.MiB;
        var buffer = (long)bufferMiB * ShareCost.MiB;
        return cost.OfCopy(bytes, buffer, knowsLength);
    }

    private double ErrorOf(PublishedCell cell)
    {
        var emulated = this[cell.Buffer, cell.File];
        return Math.Abs(emulated / cell.Ms - 1);
    }

    private ExperimentTable Summary() =>
        new(
            "A file of 256 MiB, on the emulated share",
            "The duration of each write is simulated.",
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
            "Times that differ from the published time by more than 35%",
            "The declared cost is linear, but the speed of the share varied between the article's runs.",
            ["buffer MiB#", "file MiB#", "article ms#", "emulated ms#", "difference#"],
            [.. Published.Where(cell => ErrorOf(cell) > MostError).Select(Difference)]
        );

    private IReadOnlyList<string> Difference(PublishedCell cell)
    {
        var emulated = this[cell.Buffer, cell.File];
        var percent = (emulated / cell.Ms - 1) * 100;
        return [$"{cell.Buffer}", $"{cell.File}", $"{cell.Ms:0}", $"{emulated:0}", $"{percent:+0;−0} %"];
    }

    private ExperimentTable All() =>
        new(
            "Milliseconds to copy a file to the emulated share",
            "Rows are buffer sizes, and columns are file sizes, in MiB. "
                + $"Writes larger than {cost.LargestBytes / ShareCost.MiB} MiB are split into 1 MiB writes.",
            ["buffer#", .. Sizes.Select(size => $"{size}#")],
            [.. Sizes.Select(Row)]
        );

    private IReadOnlyList<string> Row(int buffer) => [$"{buffer}", .. Sizes.Select(file => $"{this[buffer, file]:0}")];

    private static string Seconds(double milliseconds) => $"{milliseconds / 1000:0.0}";

    private static List<PublishedCell> Cells(ExperimentTable article)
    {
        var cells = new List<PublishedCell>();
        foreach (var row in article.Rows)
        {
            var buffer = Number(row[0]);
            for (var column = 1; column < row.Count; column++)
            {
                var file = Number(article.Head[column]);
                cells.Add(new(buffer, file, Number(row[column])));
            }
        }
        return cells;
    }

    private static int Number(string text)
    {
        var digits = text.Split(' ')[0].TrimEnd('#');
        return int.Parse(digits, CultureInfo.InvariantCulture);
    }
}

internal sealed record PublishedCell(int Buffer, int File, double Ms);

/// <summary>Costs of writes to the network share, in milliseconds, fitted to a part of the article's data.</summary>
/// <param name="OperationMs">The cost of each write that extends the file.</param>
/// <param name="SmallOperationMs">The cost of such a write of at most 128 KiB, including its bytes.</param>
/// <param name="KnownLengthMs">The cost within the file's length, instead of <paramref name="OperationMs"/>.</param>
/// <param name="MsPerMiB">The cost per MiB.</param>
/// <param name="LargestBytes">Larger writes are split into writes of 1 MiB.</param>
internal sealed record ShareCost(
    double OperationMs,
    double SmallOperationMs,
    double KnownLengthMs,
    double MsPerMiB,
    long LargestBytes
)
{
    public const int MiB = 1 << 20;

    /// <summary>Size of a write of <see cref="Stream.CopyToAsync(Stream)"/>, in bytes.</summary>
    public const int SmallBytes = 128 << 10;

    public static ShareCost Of(Knobs knobs) =>
        new(
            knobs["share.operation"],
            knobs["share.smallOperation"],
            knobs["share.operationInKnownLength"],
            knobs["share.perMiB"],
            (long)(knobs["share.largestWrite"] * MiB)
        );

    /// <summary>Returns the time of a copy that writes whenever its buffer is full.</summary>
    public double OfCopy(long bytes, long buffer, bool knowsLength = false)
    {
        var milliseconds = 0.0;
        for (var left = bytes; left > 0; left -= buffer)
        {
            var written = Math.Min(buffer, left);
            milliseconds += OfWrite(written, isLonger: !knowsLength);
        }
        return milliseconds;
    }

    private double OfWrite(long bytes, bool isLonger)
    {
        if (bytes > LargestBytes && bytes > MiB)
            return (double)bytes / MiB * OfWrite(MiB, isLonger);
        var operation = isLonger ? OperationMs : KnownLengthMs;
        var cost = operation + MsPerMiB * bytes / MiB;
        if (bytes <= SmallBytes)
            return Math.Min(SmallOperationMs, cost);
        return cost;
    }
}

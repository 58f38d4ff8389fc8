using DroneDelivery.Lab.Report;
using static DroneDelivery.Lab.Experiments.ShareCost;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Every buffer with every file on the emulated share, in milliseconds.</summary>
internal sealed class ShareGrid
{
    public const int Largest = 256;

    /// <summary>Files, in MiB, to whose published cells the costs are fitted; those of the others judge them.</summary>
    public static readonly IReadOnlyList<int> Fitted = [32, 128];

    private const int Best = 16, Usual = 4;

    private readonly ShareCost _cost;
    private readonly Dictionary<(int Buffer, int File), double> _times = [];
    private double _naive;
    private double _knownLength;
    private double _usualWithKnownLength;

    private ShareGrid(ShareCost cost) => _cost = cost;

    /// <summary>MiB.</summary>
    public static IReadOnlyList<int> Sizes { get; } = [1, 2, 4, 8, 16, 32, 64, 128, Largest];

    public double this[int buffer, int file] => _times[(buffer, file)];

    public static async Task<ShareGrid> MeasureAsync(ShareCost cost, CancellationToken cancellationToken)
    {
        var grid = new ShareGrid(cost);
        // Nobody reads or writes its bytes, so it costs address space and no memory.
        var memory = new byte[Largest * MiB].AsMemory();
        foreach (var buffer in Sizes)
        {
            foreach (var file in Sizes)
                grid._times[(buffer, file)] = await grid.CopyAsync(memory[..(buffer * MiB)], file, knowsLength: false, cancellationToken);
        }
        grid._knownLength = await grid.CopyAsync(memory[..MiB], Largest, knowsLength: true, cancellationToken);
        grid._usualWithKnownLength = await grid.CopyAsync(memory[..(Usual * MiB)], Largest, knowsLength: true, cancellationToken);
        grid._naive = await grid.CopyNaivelyAsync(cancellationToken);
        return grid;
    }

    /// <param name="article">The published cells: buffer, file, milliseconds.</param>
    public Exhibits Show(IReadOnlyList<(int Buffer, int File, double Ms)> article)
    {
        var judging = article.Where(cell => !Fitted.Contains(cell.File));
        var errors = judging.Select(cell => Math.Abs(this[cell.Buffer, cell.File] / cell.Ms - 1)).Order().ToList();
        var figures = new Dictionary<string, double>
        {
            ["share.bestBuffer"] = Sizes.MinBy(buffer => this[buffer, Largest]),
            ["share.largestPerBest"] = this[Largest, Largest] / this[Best, Largest],
            ["share.aboveLimitPerBest"] = this[2 * Best, Largest] / this[Best, Largest],
            ["share.wholeFilePerBest"] = this[Largest, Best] / this[Best, Best],
            ["share.withoutPerWithLength"] = this[1, Largest] / _knownLength,
            ["share.naivePerTuned"] = _naive / _usualWithKnownLength,
            ["share.medianError"] = errors[errors.Count / 2] * 100,
            ["share.cellsWithin35"] = errors.Count(error => error <= 0.35) * 100.0 / errors.Count,
        };
        return new(figures)
        {
            Tables = [Summary(), Differences(article)],
            HeatMaps = [Map("Milliseconds to copy a file to the emulated share", this)],
        };
    }

    private ExperimentTable Summary() => new(
        "A file of 256 MiB, on the emulated share", "The share counts its time; nothing waits.", ["how", "seconds#"],
    [
        ["CopyToAsync: writes of 128 KiB", Seconds(_naive)],
        ["writes of 1 MiB", Seconds(this[1, Largest])],
        ["writes of 1 MiB, SetLength first", Seconds(_knownLength)],
        ["writes of 4 MiB, SetLength first", Seconds(_usualWithKnownLength)],
        ["writes of 16 MiB", Seconds(this[Best, Largest])],
        ["one write of 256 MiB", Seconds(this[Largest, Largest])],
    ]);

    private ExperimentTable Differences(IReadOnlyList<(int Buffer, int File, double Ms)> article) => new(
        "Cells further than 35 % from the published one",
        "The declared cost is a straight line; between the runs of the article the share was not always equally fast.",
        ["buffer MiB#", "file MiB#", "article ms#", "emulated ms#", "difference#"],
        [.. from cell in article
            let ours = this[cell.Buffer, cell.File]
            where Math.Abs(ours / cell.Ms - 1) > 0.35
            let difference = (ours / cell.Ms - 1) * 100
            select (IReadOnlyList<string>)[$"{cell.Buffer}", $"{cell.File}", $"{cell.Ms:0}", $"{ours:0}", $"{difference:+0;−0} %"]]);

    private static HeatMap Map(string title, ShareGrid grid) => new(
        title,
        $"A write of more than {grid._cost.LargestBytes / MiB} MiB is sent as writes of 1 MiB.",
        "ms", "file, MiB", [.. Sizes.Select(file => $"{file}")], "buffer, MiB", [.. Sizes.Select(buffer => $"{buffer}")],
        [.. Sizes.Select(buffer => (IReadOnlyList<double?>)[.. Sizes.Select(file => (double?)grid[buffer, file])])]);

    private static string Seconds(double milliseconds) => $"{milliseconds / 1000:0.0}";

    private async Task<double> CopyAsync(Memory<byte> buffer, int fileMiB, bool knowsLength, CancellationToken cancellationToken)
    {
        var bytes = (long)fileMiB * MiB;
        await using var source = new ArrivingStream(bytes);
        await using var share = new ShareStream(_cost);
        await CopyToFile.CopyAsync(source, share, buffer, knowsLength ? bytes : null, cancellationToken);
        return share.Elapsed;
    }

    private async Task<double> CopyNaivelyAsync(CancellationToken cancellationToken)
    {
        await using var source = new ArrivingStream(Largest * (long)MiB);
        await using var share = new ShareStream(_cost);
        await source.CopyToAsync(share, cancellationToken);
        return share.Elapsed;
    }
}

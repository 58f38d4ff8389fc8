using DroneDelivery.Articles.DiskWrites;

namespace DroneDelivery.Articles.Tests.Experiments;

/// <summary>
/// <c>lab experiment disk-writes</c>: the emulated share against the published cells, and this machine's disk.
/// </summary>
/// <remarks>Not parallel to others, because the allocation of a copy is measured for the whole process.</remarks>
[Collection(RealProcesses.Name)]
public sealed class DiskWritesTests
{
    private const int MiB = ShareCost.MiB;

    [Fact]
    public void Declared_costs_fit_the_published_cells_best()
    {
        var declared = ErrorOfFit(operation: 59, perMiB: 16.8);

        foreach (var (operation, perMiB) in new[] { (54, 16.8), (64, 16.8), (59, 15.3), (59, 18.3) })
            Assert.True(declared < ErrorOfFit(operation, perMiB));
    }

    private static double ErrorOfFit(double operation, double perMiB)
    {
        var knobs = ExperimentRuns.KnobsOf(
            "disk-writes",
            "share",
            ("share.operation", operation),
            ("share.perMiB", perMiB)
        );
        var grid = new ShareGrid(ShareCost.Of(knobs));
        return ShareGrid
            .Published.Where(cell => ShareGrid.Fitted.Contains(cell.File))
            .Sum(cell => Math.Abs(grid[cell.Buffer, cell.File] / cell.Ms - 1));
    }

    [Fact]
    public void Write_is_charged_for_its_bytes_and_not_for_its_buffer()
    {
        var cost = new ShareCost(
            OperationMs: 100,
            SmallOperationMs: 7,
            KnownLengthMs: 1,
            MsPerMiB: 10,
            LargestBytes: 4 * MiB
        );

        Assert.Equal(110, cost.OfCopy(MiB, buffer: 2 * MiB));
        Assert.Equal(220, cost.OfCopy(2 * MiB, buffer: MiB));
        Assert.Equal(22, cost.OfCopy(2 * MiB, buffer: MiB, knowsLength: true));
        Assert.Equal(140, cost.OfCopy(4 * MiB, buffer: 8 * MiB));
        Assert.Equal(8 * 110, cost.OfCopy(8 * MiB, buffer: 8 * MiB));
        Assert.Equal(8 * 7, cost.OfCopy(MiB, buffer: 128 << 10));
    }

    [Theory]
    [InlineData(1_000_000, 4096)]
    [InlineData(4096, 4096)]
    [InlineData(1, 4096)]
    [InlineData(0, 4096)]
    public async Task Copy_writes_the_source_in_pieces_of_the_buffer(int length, int buffer)
    {
        var expected = new byte[length];
        new Random(1).NextBytes(expected);
        using var source = new MemoryStream(expected);
        using var destination = new MemoryStream();

        await LocalDisk.CopyAsync(source, destination, new byte[buffer], Cancelled);

        Assert.Equal(expected, destination.ToArray());
    }

    [Fact]
    public async Task Only_the_buffered_copy_allocates_its_buffer()
    {
        var folder = Directory.CreateTempSubdirectory("disk-writes-").FullName;
        var ways = await new LocalDisk(folder, fileMiB: 32).MeasureAsync(1, Cancelled);
        Directory.Delete(folder); // Fails if a file remains.

        Assert.All(ways, way => Assert.True(way.Milliseconds > 0));
        Assert.InRange(ways.Single(way => way.Name == LocalDisk.Buffered).AllocatedMiB, 9, 11);
        Assert.InRange(ways.Single(way => way.Name == LocalDisk.Skipped).AllocatedMiB, 0, 1);
    }

    [Theory]
    [Breaks]
    [InlineData("disk-i", 900, 950, 10)] // A disk as slow as the share.
    [InlineData("disk-j", 20, 80, 10)] // A disk with the share's cliff.
    [InlineData("disk-k", 20, 20, 0)] // A FileStream without a buffer.
    public void Implausible_disk_fails_the_check_for_it(string expected, double tuned, double whole, double buffered)
    {
        var ways = new CopyResult[]
        {
            new(LocalDisk.Tuned, tuned, 0),
            new(LocalDisk.Whole, whole, 0),
            new(LocalDisk.Skipped, tuned, 0),
            new(LocalDisk.Buffered, tuned, buffered),
        };

        var checks = ExperimentRuns.Judge("disk-writes", DiskWritesPlayer.Figures(ways, file: 64));

        Assert.Equal([expected], checks.Where(check => check.Holds == false).Select(check => check.Id));
        Assert.Equal(2, checks.Count(check => check.Holds == true));
    }

    [Fact]
    [Breaks("disk-d")]
    public void Share_that_charges_for_the_buffer_fails_the_check_for_it()
    {
        var figures = new Dictionary<string, double> { ["share.wholeFilePerBest"] = 3.7 };

        var checks = ExperimentRuns.Judge("disk-writes", figures);

        Assert.Equal(["disk-d"], checks.Where(check => check.Holds == false).Select(check => check.Id));
    }

    [Fact]
    public async Task Real_measurement_returns_all_its_metrics()
    {
        var record = await ExperimentRuns.OfAsync("disk-writes", ["disk"], "disk.file=32", "disk.repetitions=1");

        var measured = Assert.Single(record.Variants).Exhibits.Figures;
        var figures = Experiment.Load("disk-writes").Figures.Where(figure => figure.Value.Arm == Arm.Real);
        Assert.Equal(figures.Select(figure => figure.Key).Order(), measured.Keys.Order());
        Assert.All(measured.Values, value => Assert.True(value > 0));
    }
}

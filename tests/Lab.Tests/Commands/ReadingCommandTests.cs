using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Commands;

public sealed class ReadingCommandTests
{
    [Fact]
    public async Task Learn_lists_the_exercises_as_JSON() =>
        Assert.Equal(
            ExerciseTable.All.Select(exercise => exercise.Id),
            (await LabInMemory.JsonAsync("learn"))
                .EnumerateArray()
                .Select(exercise => exercise.GetProperty("id").GetString())
        );

    [Fact]
    public async Task Unfinished_run_is_reported_as_running()
    {
        using var runs = new OwnFolder();
        var folder = Path.Combine(runs.Path, "2030-01-01T08-00-00-2");

        using (RunFolder.Begin(folder))
        {
            foreach (
                var words in (string[][])
                    [
                        ["learn", "survive-stage-4", folder],
                        ["report", folder],
                    ]
            )
            {
                var (exitCode, _, error) = await LabInMemory.InvokeAsync(words);
                Assert.Equal(
                    (2, "2030-01-01T08-00-00-2 is running. Wait until it ends, or specify another run."),
                    (exitCode, error.TrimEnd())
                );
            }
        }

        var (_, _, killed) = await LabInMemory.InvokeAsync("report", folder);
        Assert.EndsWith(
            "is missing: that run was killed before it was saved.",
            killed.TrimEnd(),
            StringComparison.Ordinal
        );
    }
}

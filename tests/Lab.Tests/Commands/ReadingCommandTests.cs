using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Commands;

/// <summary>
/// Verbs that read what was played: report, learn and docs on a run of stages 2 and 4, and status without any application.
/// </summary>
public sealed class ReadingCommandTests : IDisposable
{
    private readonly string _folder = Directory.CreateTempSubdirectory("lab-test").FullName;

    public ReadingCommandTests() => RunReport.Keep(_folder, PlayedByArithmetic.Run("run 2 4"), telemetry: null);

    [Fact]
    public Task Results_of_several_commits_are_refused()
    {
        var other = Path.Combine(_folder, "other");
        var run = PlayedByArithmetic.Run("run 2");
        RunReport.Keep(other, run with { Machine = run.Machine with { Commit = "def5678" } }, telemetry: null);

        return LabInMemory.RefusesAsync(
            "They are of several commits: abc1234, def5678. `./lab docs --play` plays all anew.",
            ["docs", _folder, other, "--out", Path.Combine(_folder, "results.md")]);
    }

    [Fact]
    public async Task Learn_lists_the_exercises_as_JSON() => Assert.Equal(
        ExerciseTable.All.Select(exercise => exercise.Id),
        (await LabInMemory.JsonAsync("learn")).EnumerateArray().Select(exercise => exercise.GetProperty("id").GetString()));

    [Fact]
    public async Task A_run_that_is_being_played_is_not_called_killed()
    {
        var folder = Path.Combine(_folder, "2030-01-01T08-00-00-2");

        using (RunFolder.Begin(folder))
        {
            foreach (var words in (string[][])[["learn", "survive-stage-4", folder], ["report", folder]])
            {
                var (exitCode, _, error) = await LabInMemory.TypeAsync(words);
                Assert.Equal((2, "2030-01-01T08-00-00-2 is running. Wait for its end, or name another run."), (exitCode, error.TrimEnd()));
            }
        }

        var (_, _, killed) = await LabInMemory.TypeAsync("report", folder);
        Assert.EndsWith("is missing: that run was killed before it was saved.", killed.TrimEnd(), StringComparison.Ordinal);
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);
}

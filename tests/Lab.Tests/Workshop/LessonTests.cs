using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

public sealed class LessonTests : IAsyncDisposable
{
    private readonly LabProcess _lab = new();

    [Fact]
    public async Task Learn_grades_an_answer_gives_hints_and_resumes()
    {
        RunFolder.WritePage(
            Path.Combine(_lab.Artifacts, "lab"),
            "learn.json",
            JsonSerializer.Serialize(PlaceOfOtherExercises)
        );
        string other;
        using (RunFolder.Begin(Path.Combine(_lab.Artifacts, "runs", "2030-01-01T07-00-00-2")))
            other = await InvokeAsync("kql-1", "failing-dependency"); // While the run is in progress.
        Play("2030-01-01T07-00-00-2", "run 2");
        other += await InvokeAsync("list");
        Play("2030-01-01T08-00-00-1", "run 1");

        var first = await InvokeAsync("hint", "hint", "hint", "Delivery, 500", "Delivery, 503, Redis is full");
        var second = await InvokeAsync("list", "hint", "survive-stage-4");
        var third = await InvokeAsync("skip", "kql-1", "requests | count");

        Assert.DoesNotContain("is there", other, StringComparison.Ordinal);
        Assert.Matches("^\nfailing-dependency: Round 1: ", first);
        Assert.Contains("2030-01-01T08-00-00-1 is there. What do you say about it?", first, StringComparison.Ordinal);
        Assert.Equal(3, Regex.Count(first, "^Hint (1|2) of 2: `./lab query", RegexOptions.Multiline));
        Assert.Contains("no   the answer has three parts. Write them as in", first, StringComparison.Ordinal);
        Assert.Single(Regex.Matches(first, "the store is named")); // not before the answer names a service
        Assert.Contains("Solved with 2030-01-01T08-00-00-1. Keys never expire", first, StringComparison.Ordinal);
        Assert.Contains("\nfirst-knob: Round 4: ", first, StringComparison.Ordinal);
        Assert.Matches("^\nfirst-knob: ", second);
        Assert.Matches("failing-dependency +solved ", second);
        Assert.Matches("first-knob +here ", second);
        Assert.Contains("\nHint 2 of 2: ", second, StringComparison.Ordinal);
        Assert.DoesNotContain("has no stage 4", second, StringComparison.Ordinal);
        Assert.Matches("(?s)^\nsurvive-stage-4: .*\nlargest-prefetch: .*the run stored no telemetry", third);
    }

    [Fact]
    public async Task New_runs_are_graded_with_their_differences_until_Ctrl_C()
    {
        using var lesson = _lab.StartInteractive("learn");
        await lesson.StandardInput.WriteLineAsync("survive-stage-4");

        await lesson.StandardOutput.ReadUntilAsync("survive-stage-4:");
        Play("2030-01-01T08-00-00-4", "run 4");
        var first = await lesson.StandardOutput.ReadUntilAsync("Not yet, with 2030-01-01T08-00-00-4.");
        Play("2030-01-01T09-00-00-4", "run 4 --set workflow.prefetchCount=700");
        var second = await lesson.StandardOutput.ReadUntilAsync("Solved with 2030-01-01T09-00-00-4.");
        await lesson.InterruptAsync();

        Assert.DoesNotContain("→", first, StringComparison.Ordinal);
        Assert.Contains("no   no lock is lost. ", first, StringComparison.Ordinal);
        Assert.Contains("workflow.prefetchCount: 375 → 88", second, StringComparison.Ordinal);
        Assert.Contains("  messages redelivered: ", second, StringComparison.Ordinal);
        Assert.Contains(
            "Why: the limit was prefetch against lock: 0/s; it is now CPU of node ",
            second,
            StringComparison.Ordinal
        );
        Assert.Equal(130, lesson.ExitCode);
    }

    [Fact]
    public async Task Single_attempt_gives_hints_and_remembers_earlier_attempts()
    {
        Play("2030-01-01T08-00-00-4", "run 4");
        var hint = await _lab.InvokeAsync("learn", "survive-stage-4", "--hint");
        var first = await _lab.InvokeAsync("learn", "survive-stage-4");
        Play("2030-01-01T09-00-00-4", "run 4 --set workflow.prefetchCount=0");
        var second = await _lab.InvokeAsync("learn", "survive-stage-4", "--json");
        Play("2030-01-01T10-00-00-4", "run 4 --set workflow.prefetchCount=700");
        await File.WriteAllTextAsync(
            Path.Combine(_lab.Artifacts, "runs", "2030-01-01T09-00-00-4", RunFolder.FileName),
            "damaged",
            Cancel
        );
        var third = await _lab.InvokeAsync("learn", "survive-stage-4");
        var list = await _lab.InvokeAsync("learn", "--list");

        Assert.Equal((0, 1, 0, 0), (hint.ExitCode, first.ExitCode, second.ExitCode, third.ExitCode));
        Assert.StartsWith("Hint 1 of 2: ", hint.Output, StringComparison.Ordinal);
        var moved = JsonDocument
            .Parse(second.Output)
            .RootElement.GetProperty("moved")
            .EnumerateArray()
            .Select(line => line.GetString());
        Assert.Contains("workflow.prefetchCount: 375 → 0", moved);
        Assert.Matches("survive-stage-4 +solved ", list.Output);
    }

    public ValueTask DisposeAsync() => _lab.DisposeAsync();

    private static Place PlaceOfOtherExercises =>
        new()
        {
            Solved = ExerciseTable.All.ToDictionary(it => it.Id + " before", _ => ""),
            Hinted = new() { ["first-knob"] = 7 },
        };

    private void Play(string folder, string run) =>
        RunReport.Keep(Path.Combine(_lab.Artifacts, "runs", folder), ComputedRun.Run(run), telemetry: null);

    private async Task<string> InvokeAsync(params string[] lines)
    {
        var (exitCode, output, error) = await _lab.InvokeWithInputAsync(
            string.Concat(lines.Select(line => line + "\n")),
            "learn"
        );
        Assert.Equal((0, ""), (exitCode, error));
        return output;
    }
}

namespace DroneDelivery.Lab.Workshop;

/// <summary>What came of a try.</summary>
/// <param name="Run">Name of the folder that was judged.</param>
/// <param name="Moved">What it changed against the try before, and why; none where it is the same one, or the first.</param>
internal sealed record Try(string Exercise, string Run, IReadOnlyList<Finding> Findings, IReadOnlyList<string> Moved)
{
    public bool Passes => Findings.All(finding => finding.Holds == true);

    public static async Task<Try> OfAsync(
        Exercise exercise, string folder, string? answer, Place place, CancellationToken cancellationToken)
    {
        var findings = await exercise.CheckAsync(folder, answer, cancellationToken);
        var before = place.Tried.GetValueOrDefault(exercise.Id);
        var moved = before is not null && before != folder && Directory.Exists(before) ? exercise.Moved(before, folder) : [];
        var made = new Try(exercise.Id, Path.GetFileName(folder), findings, moved);
        place.Tried[exercise.Id] = Path.GetFullPath(folder);
        if (made.Passes)
            place.Solved[exercise.Id] = made.Run;
        return made;
    }

    public IEnumerable<string> Lines(Exercise exercise)
    {
        foreach (var moved in Moved)
            yield return $"  {moved}";
        foreach (var finding in Findings)
        {
            var holds = finding.Holds switch { true => "yes", false => "no ", null => " – " };
            yield return $"  {holds}  {finding.Claim}{(finding.Missing is { } missing ? ". " + missing : "")}";
        }
        yield return Passes ? $"Solved with {Run}. {exercise.Because}" : $"Not yet, with {Run}.";
    }
}

namespace DroneDelivery.Lab.Stages;

/// <summary>Resolves stages that are based on others. Checks, predicted metrics and notes aren't inherited.</summary>
internal static class StageBase
{
    public static IReadOnlyList<Stage> Resolve(IReadOnlyList<Stage> files) =>
        [.. files.Select(file => Resolve(file, files, []))];

    /// <param name="above">The stages that are based on this one.</param>
    private static Stage Resolve(Stage file, IReadOnlyList<Stage> files, IReadOnlyList<string> above)
    {
        if (above.Contains(file.Id))
            throw Refused(file, $"basedOn is circular: {string.Join(", ", [.. above, file.Id])}");
        if (file.BaseId is null)
            return On(null, file);
        Stage.Require(file.Id, "a stage for basedOn", [file.BaseId], [.. files.Select(other => other.Id)]);
        return On(Resolve(files.First(other => other.Id == file.BaseId), files, [.. above, file.Id]), file);
    }

    private static Stage On(Stage? it, Stage file) =>
        file with
        {
            BasedOn = it,
            Profile = Own(file, "profile", file.Profile, it?.Profile),
            Environment = Own(file, "environment", file.Environment, it?.Environment),
            Start = Own(file, "start", file.Start, it?.Start),
            Knobs = it is null ? file.Knobs : it.Knobs.With(Changing(it, file)),
            Observe = Own(file, "observe", file.Observe, it?.Observe),
        };

    private static KnobSet Changing(Stage it, Stage file)
    {
        foreach (var (knob, value) in file.Knobs.All)
        {
            if (it.Knobs[knob.Name] is { } before && knob.Show(before) == knob.Show(value))
                throw Duplicate(file, $"knob {knob.Name}");
        }

        return file.Knobs;
    }

    private static T Own<T>(Stage file, string field, T? own, T? inherited)
        where T : class =>
        own is null ? inherited ?? throw Refused(file, $"{field} is missing, also in the stage that it is based on")
        : own.Equals(inherited) ? throw Duplicate(file, field)
        : own;

    private static BadInputException Duplicate(Stage file, string what) =>
        Refused(file, $"{what} is the same in stage {file.BaseId}: omit it");

    private static BadInputException Refused(Stage file, string why) => new($"stage {file.Id}: {why}.");
}

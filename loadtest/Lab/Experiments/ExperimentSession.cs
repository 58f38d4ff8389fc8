using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Experiments;

/// <summary>What the command line asks for.</summary>
/// <param name="Variants">None: all of the experiment.</param>
/// <param name="Set">Knobs of the command line.</param>
internal sealed record ExperimentPlan(
    Experiment Experiment, IReadOnlyList<Variant> Variants, bool IsFull, IReadOnlyDictionary<string, double> Set)
{
    /// <summary>Nobody named the variants: one whose program is not installed is left out, and said to be.</summary>
    public bool LeavesOut { get; init; }
}

/// <summary>Plays the variants of one experiment, one after the other.</summary>
/// <param name="place">Its folder is for what the variants write; nothing of it stays, unless one fails.</param>
internal sealed class ExperimentSession(
    ExperimentPlan plan, string command, ExperimentPlace place, MachineRecord machine, TimeProvider clock)
{
    private readonly List<VariantRecord> _played = [];
    private readonly List<LeftOut> _leftOut = [];
    private readonly DateTimeOffset _startedAt = clock.GetUtcNow();

    /// <summary>The code of the experiment.</summary>
    public IExperimentPlayer Player { get; init; } = ExperimentPlayers.Of(plan.Experiment);

    /// <summary>What there is so far.</summary>
    /// <param name="reason">Why it ended early; null when it did not.</param>
    public ExperimentRecord Record(string? reason)
    {
        var checks = ExperimentRecord.Judge(plan.Experiment, _played);
        var outcome = reason is not null ? Outcomes.Incomplete
            : checks.Any(check => check.Holds == false) ? Outcomes.Fails
            : Outcomes.Holds;
        return new()
        {
            Name = plan.Experiment.Name,
            Outcome = outcome,
            Reason = reason,
            StartedAt = _startedAt,
            Command = command,
            IsFull = plan.IsFull,
            Machine = machine,
            Changed = plan.Set,
            Variants = _played,
            Checks = checks,
            LeftOut = _leftOut,
        };
    }

    /// <exception cref="LabException">Something is missing, or broke.</exception>
    public async Task PlayAsync(IProgress<string> progress, CancellationToken cancellationToken)
    {
        var variants = plan.Variants.Where(variant => IsPossible(variant)).ToList();
        foreach (var variant in variants)
        {
            var knobs = KnobsOf(variant);
            var exhibits = await PlayAsync(variant, knobs, progress, cancellationToken);
            _played.Add(new(variant.Name, variant.Arm, variant.Title, knobs.All, exhibits));
        }
    }

    /// <exception cref="LabException">Something is missing, and may not be left out.</exception>
    private bool IsPossible(Variant variant)
    {
        try
        {
            Player.RequireMachine(variant, KnobsOf(variant), place);
            return true;
        }
        catch (MissingProgramException missing) when (plan.LeavesOut)
        {
            _leftOut.Add(new(variant.Name, missing.Message));
            return false;
        }
    }

    private KnobValues KnobsOf(Variant variant) => KnobValues.Of(plan.Experiment, variant, plan.IsFull, plan.Set);

    private async Task<Exhibits> PlayAsync(
        Variant variant, KnobValues knobs, IProgress<string> progress, CancellationToken cancellationToken)
    {
        var folder = Path.Combine(place.Folder, variant.Name);
        var hasFailed = true;
        try
        {
            Directory.CreateDirectory(folder);
            var prefixed = new Prefixed($"{plan.Experiment.Name}, {variant.Name}", progress);
            var exhibits = await Player.PlayAsync(variant, knobs, place with { Folder = folder }, prefixed, cancellationToken);
            hasFailed = false;
            return exhibits;
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"{plan.Experiment.Name}, {variant.Name}: {exception.Message}");
        }
        finally
        {
            // What failed may have told the name of a log.
            if (!hasFailed)
                Directory.Delete(folder, recursive: true);
        }
    }

    private sealed class Prefixed(string prefix, IProgress<string> inner) : IProgress<string>
    {
        public void Report(string value) => inner.Report($"{prefix}: {value}");
    }
}

using System.Globalization;
using DroneDelivery.Lab.Judge;

namespace DroneDelivery.Lab.Experiments;

/// <summary>Records of experiments as a part of the page docs/reference/results.md.</summary>
internal static class ExperimentResults
{
    public static string Of(IReadOnlyList<ExperimentRecord> records) => string.Concat(records.Select(Of));

    private static string Of(ExperimentRecord record)
    {
        var experiment = Experiment.Load(record.Name);
        var (machine, changed) = (record.Machine, string.Join(", ", record.Changed.Select(set => $"{set.Key}={set.Value}")));
        var lines = new List<string>
        {
            "",
            $"## {(record.IsFull ? "Full length" : "Quick")}: {record.Name}, {experiment.Article.Title}",
            "",
            Invariant($"{record.StartedAt.ToUniversalTime():yyyy-MM-dd HH:mm} UTC, `{record.Command}`")
                + (changed.Length > 0 ? $", changed: {changed}" : "") + $": **{record.Outcome}**. {CheckRecord.CountOf(record.Checks)}"
                + $"{(record.Reason is { } reason ? " " + reason.Split('\n')[0] : "")}"
                + string.Concat(record.LeftOut.Select(it => $" {it.Variant} was left out: {it.Reason}")),
            "",
            Invariant($"{machine.Cores} cores, {machine.Memory / 1073741824.0:0.#} GiB, {machine.System}, {machine.Runtime}, ")
                + $"commit {machine.Commit ?? "unknown"}.",
            "",
        };
        return string.Concat(lines.Select(line => line + "\n")) + ExperimentTables.Checks(record).Markdown();
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}

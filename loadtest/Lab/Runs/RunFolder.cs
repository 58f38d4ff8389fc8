using System.Globalization;
using System.Text;
using DroneDelivery.Lab.Measurement;

namespace DroneDelivery.Lab.Runs;

/// <summary>What is kept of a run: <c>run.json</c>, a CSV file for each stage, <c>report.html</c>, logs.</summary>
internal static class RunFolder
{
    private static string Runs => Path.Combine(Repository.Artifacts, "runs");

    /// <exception cref="LabException">The disk is full, or the folder cannot be written.</exception>
    public static void Write(string folder, RunRecord run)
    {
        try
        {
            Directory.CreateDirectory(folder);
            WriteWhole(Path.Combine(folder, "run.json"), run.ToJson());
            foreach (var stage in run.Stages)
                WriteWhole(Path.Combine(folder, $"series-{stage.Stage}.csv"), Csv(stage.Series));
            WriteWhole(Path.Combine(folder, "report.html"), HtmlReport.Render(run));
        }
        catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
        {
            throw new LabException($"The run cannot be kept in {folder}: {exception.Message}");
        }
    }

    /// <param name="name">A folder, or the last part of its name; <c>last</c> is the newest run.</param>
    /// <exception cref="BadInputException">No such run.</exception>
    public static RunRecord Read(string name) => RunRecord.Read(Path.Combine(Find(name), "run.json"));

    public static string Find(string name)
    {
        var all = Directory.Exists(Runs) ? Directory.GetDirectories(Runs).Where(HasRun).Order(StringComparer.Ordinal).ToList() : [];
        var found = HasRun(name) ? name : name == "last" ? all.LastOrDefault() : all.LastOrDefault(folder => Path.GetFileName(folder) == name);
        return found ?? throw new BadInputException(all.Count == 0
            ? $"{name}: there is no run yet. `./lab run` makes one."
            : $"{name} is not a run. The newest are: {string.Join(", ", all.TakeLast(3).Select(Path.GetFileName))}; last is the newest.");
    }

    public static string Csv(IReadOnlyList<Bin> series)
    {
        var nodes = series.Count == 0 ? 0 : series[0].Nodes.Count;
        var csv = new StringBuilder("start,end,users,incoming_per_s,outgoing_per_s,completed_per_s,errors_per_s,lock_lost_per_s,backlog,dead_letter,machine");
        csv.Append(string.Concat(Enumerable.Range(0, nodes).Select(node => $",node_{node}"))).Append('\n');
        foreach (var bin in series)
        {
            csv.Append(CultureInfo.InvariantCulture, $"{bin.Start:0.##},{bin.End:0.##},{bin.Users},{bin.Incoming:0.##},{bin.Outgoing:0.##},{bin.Completed:0.##},{bin.Errors:0.##},{bin.LockLost:0.##},{bin.Backlog:0},{bin.DeadLetter:0},{bin.Machine:0.###}");
            csv.Append(string.Concat(bin.Nodes.Select(node => string.Create(CultureInfo.InvariantCulture, $",{node:0.###}")))).Append('\n');
        }

        return csv.ToString();
    }

    private static bool HasRun(string folder) => File.Exists(Path.Combine(folder, "run.json"));

    /// <summary>Aside, then renamed: a disk that fills up leaves no half of a file.</summary>
    private static void WriteWhole(string file, string text)
    {
        File.WriteAllText(file + ".new", text);
        File.Move(file + ".new", file, overwrite: true);
    }
}

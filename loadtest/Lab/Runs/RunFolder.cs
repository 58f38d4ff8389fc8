using System.Globalization;
using System.Text;
using DroneDelivery.Lab.Measurement;

namespace DroneDelivery.Lab.Runs;

/// <summary>What is kept of a run: <c>run.json</c>, <c>series.csv</c>, <c>report.html</c>, logs.</summary>
internal static class RunFolder
{
    public static void Write(string folder, RunRecord run)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, "run.json"), run.ToJson());
        if (run.Outcome == RunRecord.Incomplete)
            return;
        File.WriteAllText(Path.Combine(folder, "series.csv"), Csv(run.Series));
        File.WriteAllText(Path.Combine(folder, "report.html"), HtmlReport.Render(run));
    }

    public static string Csv(IEnumerable<Bin> series)
    {
        var csv = new StringBuilder("start,end,users,incoming_per_s,outgoing_per_s,completed_per_s,errors_per_s,lock_lost_per_s,backlog,dead_letter\n");
        foreach (var bin in series)
            csv.Append(CultureInfo.InvariantCulture, $"{bin.Start:0.##},{bin.End:0.##},{bin.Users},{bin.Incoming:0.##},{bin.Outgoing:0.##},{bin.Completed:0.##},{bin.Errors:0.##},{bin.LockLost:0.##},{bin.Backlog:0},{bin.DeadLetter:0}\n");
        return csv.ToString();
    }
}

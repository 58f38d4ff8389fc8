using System.Diagnostics;
using System.Globalization;

namespace DroneDelivery.Bench;

/// <summary>A process and those that it started, which a launcher leaves the work to. Linux only; elsewhere it stands alone.</summary>
internal static class ProcessTree
{
    public static List<int> WithDescendants(int root)
    {
        var parents = Process.GetProcesses().ToDictionary(process => process.Id, process => ParentOf(process.Id));
        var found = new List<int> { root };
        for (var next = 0; next < found.Count; next++)
            found.AddRange(parents.Where(entry => entry.Value == found[next]).Select(entry => entry.Key));
        return found;
    }

    private static int ParentOf(int id)
    {
        try
        {
            // The command name in parentheses may hold spaces: fields count from its end.
            var stat = File.ReadAllText($"/proc/{id}/stat");
            return int.Parse(stat[(stat.LastIndexOf(')') + 2)..].Split(' ')[1], CultureInfo.InvariantCulture);
        }
        catch (IOException)
        {
            return 0; // it ended between the listing and the reading
        }
    }
}

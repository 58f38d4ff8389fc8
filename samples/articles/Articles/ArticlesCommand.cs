using System.CommandLine;
using System.CommandLine.Help;

namespace DroneDelivery.Articles;

/// <summary>The command to which <c>./lab</c> delegates.</summary>
internal static class ArticlesCommand
{
    public static ParseResult Parse(IReadOnlyList<string> args) =>
        new Command("./lab", "The four other articles.") { new HelpOption(), new ExperimentCommand() }.Parse(args);
}

using System.CommandLine;
using System.CommandLine.Help;

namespace DroneDelivery.Articles;

/// <summary>The verb that <c>./lab</c> hands over.</summary>
internal static class ArticlesCommand
{
    public static ParseResult Parse(IReadOnlyList<string> args) =>
        new Command("./lab", "The four other articles.") { new HelpOption(), new ExperimentCommand() }.Parse(args);
}

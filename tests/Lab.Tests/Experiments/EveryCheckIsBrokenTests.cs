using System.Reflection;

namespace DroneDelivery.Lab.Tests.Experiments;

/// <summary>A check that cannot fail says nothing, so each one of <c>loadtest/experiments</c> has a test that breaks it.</summary>
public sealed class EveryCheckIsBrokenTests
{
    private static readonly HashSet<string> Broken =
        [.. from type in typeof(EveryCheckIsBrokenTests).Assembly.GetTypes()
            from method in type.GetMethods()
            let breaks = method.GetCustomAttribute<BreaksAttribute>()
            where breaks is not null
            from check in breaks.Checks.Concat(OfData(method))
            select check];

    [Fact]
    public void Every_check_has_a_test_that_breaks_it_by_one_named_mechanism_and_is_marked_with_Breaks() => Assert.Equal(
        [], Experiment.All().SelectMany(experiment => experiment.Checks).Select(check => check.Id).Except(Broken));

    private static IEnumerable<string> OfData(MethodInfo method) =>
        from data in method.GetCustomAttributes<InlineDataAttribute>()
        from text in data.Data.OfType<string>()
        from word in text.Split(' ')
        select word;
}

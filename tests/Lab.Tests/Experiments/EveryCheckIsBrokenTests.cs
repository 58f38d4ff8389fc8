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

    public static TheoryData<string> Names => [.. Experiment.All().Select(experiment => experiment.Name)];

    [Theory, MemberData(nameof(Names))]
    public void Every_check_has_a_test_that_breaks_it(string name)
    {
        var never = Experiment.Load(name).Checks.Select(check => check.Id).Where(id => !Broken.Contains(id)).ToList();

        Assert.True(
            never.Count == 0,
            $"No test breaks {string.Join(", ", never)} of {name}: add one that breaks it by one named mechanism, marked with [Breaks].");
    }

    /// <summary>Words of the data of a theory.</summary>
    private static IEnumerable<string> OfData(MethodInfo method) =>
        from data in method.GetCustomAttributes<InlineDataAttribute>()
        from text in data.Data.OfType<string>()
        from word in text.Split(' ')
        select word;
}

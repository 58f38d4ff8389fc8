using System.Reflection;

namespace DroneDelivery.Articles.Tests.Experiments;

public sealed class EveryCheckIsBrokenTests
{
    private static readonly HashSet<string> Broken =
    [
        .. from type in typeof(EveryCheckIsBrokenTests).Assembly.GetTypes()
        from method in type.GetMethods()
        let breaks = method.GetCustomAttribute<BreaksAttribute>()
        where breaks is not null
        from check in breaks.Checks.Concat(OfData(method))
        select check,
    ];

    [Fact]
    public void Every_check_has_a_unique_id_and_a_test_that_breaks_it()
    {
        var ids = Experiment.All().SelectMany(experiment => experiment.Checks).Select(check => check.Id).ToList();

        Assert.Equal(ids.Distinct(), ids);
        Assert.Empty(ids.Except(Broken));
    }

    private static IEnumerable<string> OfData(MethodInfo method) =>
        from data in method.GetCustomAttributes<InlineDataAttribute>()
        from text in data.Data.OfType<string>()
        from word in text.Split(' ')
        select word;
}

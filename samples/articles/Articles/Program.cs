using DroneDelivery.Articles;
using DroneDelivery.Lab.Cli;

return (int)await LabCommand.RunAsync(args, Terminal.Open(), ArticlesCommand.Parse);

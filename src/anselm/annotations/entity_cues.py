"""What tells a person, a place and an organisation apart: words that stand in their names, or before them."""

from __future__ import annotations

from anselm.annotations.word_classes import listed

TITLES = listed("""
    mr mrs ms miss dr prof sir dame lord lady saint pope king queen prince princess emperor president senator
    governor general colonel captain judge actor actress singer author director poet composer
""")
FIRST_NAMES = listed("""
    james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony
    mark donald steven paul andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan
    jacob gary nicholas eric jonathan stephen larry justin scott brandon benjamin samuel gregory frank alexander
    raymond patrick jack dennis jerry tyler aaron jose adam henry nathan peter zachary kyle walter harold jeremy
    ethan carl keith roger gerald albert louis ralph arthur bruce philip johnny bobby simon martin alan fred
    ernest francis isaac abraham oliver leo hugh mary patricia jennifer linda elizabeth barbara susan jessica
    sarah karen nancy lisa margaret betty sandra ashley kimberly emily donna michelle carol amanda dorothy
    melissa deborah stephanie rebecca sharon laura cynthia kathleen amy angela shirley anna brenda pamela emma
    nicole helen samantha katherine christine rachel catherine carolyn janet ruth maria heather diane virginia
    julie joyce victoria olivia kelly christina joan evelyn judith megan alice anne jane hans karl johann
    wolfgang pierre jean marie luis carlos juan antonio giovanni marco ivan vladimir mohammed ali
""") - {"virginia", "victoria", "ali"}
ORGANISATIONS = listed("""
    university college school institute academy company corporation corp inc ltd co llc bank party association
    league committee council commission court congress senate parliament house department ministry agency bureau
    union church army navy force forces club team band group records studios pictures entertainment network
    museum library hospital foundation society organization organisation federation press times post journal
    orchestra airlines motors nasa nato un fbi cia nba nfl nhl mlb espn nbc cbs abc bbc mtv hbo cnn fox ibm
    microsoft google apple
""")
PLACES = listed("""
    river lake mount mountain mountains island islands city county state states kingdom republic ocean sea
    street avenue road park valley bay desert peninsula coast beach hills province district town village airport
    bridge canal gulf north south east west america africa asia europe australia antarctica england scotland
    wales ireland britain france germany spain italy portugal greece russia china japan india canada mexico
    brazil argentina egypt israel iran iraq turkey poland sweden norway denmark finland austria switzerland
    belgium netherlands korea vietnam pakistan afghanistan ukraine cuba london paris berlin rome madrid moscow
    tokyo beijing washington york angeles chicago boston philadelphia houston dallas atlanta seattle miami
    detroit francisco california texas florida alaska hawaii ohio illinois michigan georgia virginia carolina
    pennsylvania arizona colorado nevada oregon massachusetts minnesota wisconsin missouri tennessee kentucky
    alabama louisiana oklahoma kansas iowa indiana maryland jersey
""")
WITHIN = listed("in near at from")  # before a name: it is a place
CALENDAR = listed("""
    january february march april may june july august september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday christmas easter
    century decade
""")
CURRENCY = listed("dollar dollars euro euros pound pounds yen cent cents rupee rupees usd eur")
PERCENT = listed("percent per cent percentage")
